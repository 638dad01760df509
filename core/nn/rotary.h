#pragma once

#include "core/nn/rotary_config.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace assay {

/// Inverse frequencies [width / 2] in double precision; `width`: the rotated part of a head. Source of
/// llama3: the wavelength rule of the Llama 3.1 release (scaled below the low, kept above the high frequency,
/// blended between). Source of yarn: Peng et al. 2023, by the number of rotations within the original
/// positions. dynamic: as default, which is what it is up to the positions that the model was trained with.
std::vector<double> rotaryFrequencies(const RotaryConfig& config, std::int64_t width);

/// cos and sin of position x frequency.
struct RotaryTable
{
    at::Tensor cosine; ///< [tokens, 1, width / 2]
    at::Tensor sine;
};

/// Angles are computed in float64: float32 loses 6e-5 at position 1,000.
RotaryTable rotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies,
                        at::ScalarType type, double amplitude = 1.0);

/// Half-split rotation of x [tokens, heads, headWidth]: (a, b) -> (a cos - b sin, b cos + a sin). A table
/// narrower than the heads leaves their rest as it is (partial rotary).
at::Tensor rotate(const at::Tensor& x, const RotaryTable& table);

} // namespace assay
