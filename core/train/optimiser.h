#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/nn/parameter.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace assay {

/// AdamW with libtorch's fused kernel: w *= 1 - lr * decay (not on norms and biases); bias-corrected moments
/// (Loshchilov and Hutter 2019).
class AdamW
{
public:
    AdamW(Parameters parameters, const OptimiserConfig& config);

    /// Parameters without a gradient are left alone.
    void step(double learningRate);
    void zeroGradients();

    /// L2 norm over all gradients, in float64 over per-tensor norms.
    double gradientNorm() const;
    /// g *= min(1, maximum / (norm + 1e-6)).
    void clip(double norm, double maximum);
    /// Name of the first tensor whose gradient is not finite; empty = all finite.
    std::string firstNonFinite() const;

    /// Moments and step counts by name, for checkpoints.
    std::map<std::string, at::Tensor> state() const;
    /// Errors: BadModel when a tensor is missing or has another shape.
    Status setState(const std::map<std::string, at::Tensor>& state);

    const Parameters& parameters() const { return m_parameters; }

private:
    Parameters m_parameters;
    OptimiserConfig m_config;
    std::vector<at::Tensor> m_first, m_second, m_steps;
};

} // namespace assay
