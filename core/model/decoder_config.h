#pragma once

#include "core/nn/rotary_config.h"

#include <cstdint>

namespace assay {

/// Shape of a decoder-only transformer; filled from a published `config.json` by the reader of its family, or
/// from an experiment's size fields.
struct DecoderConfig
{
    std::int64_t vocabulary = 0;
    std::int64_t width = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t keyValueHeads = 0;
    std::int64_t headWidth = 0;
    std::int64_t mlpWidth = 0;
    double normEpsilon = 1e-6;
    std::int64_t maximumPositions =
        2048; ///< what it was trained with; longer rows are a warning, not an error
    bool tiedEmbeddings = false;
    bool attentionBias = false;
    bool mlpBias = false;
    double initialDeviation = 0.02; ///< of new weights; loaded ones do not care
    RotaryConfig rotary;
};

} // namespace assay
