#pragma once

#include <string>

namespace assay {

/// Rotary settings of a `config.json`, old spelling (`rope_theta`, `rope_scaling`) or new
/// (`rope_parameters`).
struct RotaryConfig
{
    double theta = 10000.0;
    std::string type = "default";                               ///< default, linear or llama3
    double factor = 1.0;                                        ///< linear, llama3
    double lowFrequencyFactor = 1.0, highFrequencyFactor = 4.0; ///< llama3
    double originalPositions = 8192.0;                          ///< llama3
    bool operator==(const RotaryConfig&) const = default;
};

} // namespace assay
