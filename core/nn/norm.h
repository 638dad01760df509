#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

/// Root-mean-square norm (Zhang and Sennrich 2019): x / sqrt(mean(x^2) + epsilon) * weight. The statistics
/// are computed in the type of the weight (float32, or float64), whatever the type of `x` [tokens, width];
/// the result has type `output`.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon, at::ScalarType output);

} // namespace assay
