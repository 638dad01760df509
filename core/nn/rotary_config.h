#pragma once

#include <string>

namespace assay {

/// Rotary settings of a `config.json`, old spelling (`rope_theta`, `rope_scaling`) or new
/// (`rope_parameters`).
struct RotaryConfig
{
    double theta = 10000.0;
    std::string type = "default";                               ///< default, linear, dynamic, llama3 or yarn
    double factor = 1.0;                                        ///< linear, llama3, yarn
    double lowFrequencyFactor = 1.0, highFrequencyFactor = 4.0; ///< llama3
    double originalPositions = 8192.0;                          ///< llama3, yarn
    double fastRotations = 32.0, slowRotations = 1.0;           ///< yarn: beta_fast, beta_slow
    bool wholeBounds = true;                                    ///< yarn: bounds of the ramp are rounded
    double amplitude = 1.0; ///< yarn: of cosine and sine; attention grows with its square
    bool operator==(const RotaryConfig&) const = default;
};

} // namespace assay
