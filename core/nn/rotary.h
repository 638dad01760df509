#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace assay {

/// Rotary settings of a `config.json`, old spelling (`rope_theta`, `rope_scaling`) or new (`rope_parameters`).
struct RotaryConfig
{
    double theta = 10000.0;
    std::string type = "default"; ///< default, linear or llama3
    double factor = 1.0;          ///< linear, llama3
    double lowFrequencyFactor = 1.0, highFrequencyFactor = 4.0; ///< llama3
    double originalPositions = 8192.0;                          ///< llama3
    bool operator==(const RotaryConfig&) const = default;
};

/// Inverse frequencies [headWidth / 2] in double precision. Source of llama3: the wavelength rule of the Llama 3.1
/// release (scaled below the low, kept above the high frequency, blended between).
std::vector<double> rotaryFrequencies(const RotaryConfig& config, std::int64_t headWidth);

/// cos and sin of position x frequency.
struct RotaryTable
{
    at::Tensor cosine; ///< [tokens, 1, headWidth / 2]
    at::Tensor sine;
};

/// Angles are computed in float64: float32 loses 6e-5 at position 1,000.
RotaryTable rotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies, at::ScalarType type);

/// Half-split rotation of x [tokens, heads, headWidth]: (a, b) -> (a cos - b sin, b cos + a sin).
at::Tensor rotate(const at::Tensor& x, const RotaryTable& table);

} // namespace assay
