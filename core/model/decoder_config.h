#pragma once

#include "core/nn/rotary_config.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

enum class NormKind { Rms, Layer };
enum class Activation { Silu, Gelu, GeluTanh, Relu };
/// How a checkpoint holds the query, key and value projections.
enum class AttentionTensors {
    Separate, ///< three tensors
    Stacked,  ///< one: all queries, all keys, all values
    PerHead   ///< one: query, key and value of every head after each other
};

/// What distinguishes decoder families besides their sizes; a family's row sets it once.
struct DecoderTraits
{
    NormKind norm = NormKind::Rms;
    double normOffset = 0.0;       ///< added to norm weights (Gemma: 1)
    bool postNorms = false;        ///< a block's output is normalised before it is added (Gemma 2 and 3)
    bool queryKeyNorm = false;     ///< over every head, before the rotation (Qwen 3, Gemma 3)
    bool parallelResidual = false; ///< attention and MLP read the same input (GPT-NeoX)
    bool gatedMlp = true;          ///< activation(gate) * up, or activation(up)
    bool fusedGate = false;        ///< one tensor: gate, then up
    AttentionTensors attentionTensors = AttentionTensors::Separate;
    bool transposed = false;       ///< projections are stored [inputs, outputs] (GPT-2)
    bool learnedPositions = false; ///< a table instead of rotations
};

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
    bool attentionBias = false; ///< of query, key and value
    bool outputBias = false;    ///< of attention's output
    bool mlpBias = false;
    double initialDeviation = 0.02; ///< of new weights; loaded ones do not care
    DecoderTraits traits;
    Activation activation = Activation::Silu;
    double embeddingScale = 1.0;            ///< Gemma: sqrt(width)
    std::optional<double> attentionScale;   ///< 1 / sqrt(headWidth) without
    std::optional<double> attentionSoftcap; ///< of attention scores (Gemma 2)
    std::optional<double> finalSoftcap;     ///< of the language head only
    std::vector<std::int64_t> windows;      ///< per layer, 0 = sees everything; empty = all do
    std::int64_t rotaryWidth = 0;           ///< rotated part of a head; 0 = all of it
    RotaryConfig rotary;
    std::optional<RotaryConfig> localRotary; ///< of layers with a window (Gemma 3)

    std::int64_t window(std::int64_t layer) const
    {
        return windows.empty() ? 0 : windows[static_cast<std::size_t>(layer)];
    }
    /// Rows beyond this cannot be computed, or not as the original does: 0 = no such limit.
    std::int64_t positionLimit() const
    {
        return traits.learnedPositions || rotary.type == "dynamic" ? maximumPositions : 0;
    }
};

} // namespace assay
