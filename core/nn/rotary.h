#pragma once

#include "core/nn/rotary_config.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace assay {

/// Inverse frequencies [headWidth / 2] in double precision. Source of llama3: the wavelength rule of the
/// Llama 3.1 release (scaled below the low, kept above the high frequency, blended between).
std::vector<double> rotaryFrequencies(const RotaryConfig& config, std::int64_t headWidth);

/// cos and sin of position x frequency.
struct RotaryTable
{
    at::Tensor cosine; ///< [tokens, 1, headWidth / 2]
    at::Tensor sine;
};

/// Angles are computed in float64: float32 loses 6e-5 at position 1,000.
RotaryTable rotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies,
                        at::ScalarType type);

/// Half-split rotation of x [tokens, heads, headWidth]: (a, b) -> (a cos - b sin, b cos + a sin).
at::Tensor rotate(const at::Tensor& x, const RotaryTable& table);

} // namespace assay
