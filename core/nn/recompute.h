#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace assay {

/// Activation checkpointing: runs `block` without keeping its intermediates and runs it again in the backward
/// pass. `block` must be deterministic and take its other inputs by capture; parameter gradients accumulate
/// into the leaves as usual (Chen et al. 2016).
at::Tensor recompute(const std::function<at::Tensor(const at::Tensor&)>& block, const at::Tensor& input);

} // namespace assay
