#include "core/nn/projection.h"

#include <ATen/ops/linear.h>

namespace assay {

at::Tensor Projection::forward(const at::Tensor& x) const
{
    const auto type = x.scalar_type();
    const at::Tensor weight = m_weight.scalar_type() == type ? m_weight : m_weight.to(type);
    if (!m_bias.defined())
        return at::linear(x, weight);
    return at::linear(x, weight, m_bias.scalar_type() == type ? m_bias : m_bias.to(type));
}

} // namespace assay
