#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

/// Root-mean-square norm (Zhang and Sennrich 2019): x / sqrt(mean(x^2) + epsilon) * weight. The statistics
/// are computed in the type of the weight (float32, or float64), whatever the type of `x` [tokens, width];
/// the result has type `output`. `offset` is added to the weight (Gemma stores weight - 1).
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon, at::ScalarType output,
                   double offset = 0.0);

/// Layer norm (Ba et al. 2016) with the same types; `bias` may be undefined.
at::Tensor layerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon,
                     at::ScalarType output);

} // namespace assay
