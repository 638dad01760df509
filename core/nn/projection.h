#pragma once

#include "core/nn/parameter.h"

namespace assay {

/// The one linear layer: y = x W^T + b. Master weights stay in their own type; the product runs in the type
/// of `x`, so that bf16 compute is decided by what the backbone feeds in.
class Projection
{
public:
    Projection() = default;
    /// weight [outputs, inputs]; bias [outputs] or undefined.
    Projection(at::Tensor weight, at::Tensor bias)
        : m_weight(std::move(weight))
        , m_bias(std::move(bias))
    {}

    /// x [..., inputs] -> [..., outputs]
    at::Tensor forward(const at::Tensor& x) const;

private:
    at::Tensor m_weight;
    at::Tensor m_bias;
};

} // namespace assay
