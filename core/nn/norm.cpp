#include "core/nn/norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <torch/csrc/autograd/custom_function.h>

namespace assay {

namespace {

/// Written out with its gradient: one saved statistic per row instead of the intermediates of five operators.
class RmsNormFunction : public torch::autograd::Function<RmsNormFunction>
{
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& weight, double epsilon, double offset, at::ScalarType output)
    {
        const at::Tensor wide = x.to(weight.scalar_type());
        const at::Tensor inverse = wide.square().mean(-1, true).add_(epsilon).rsqrt_(); // [tokens, 1]
        context->save_for_backward({x, weight, inverse});
        context->saved_data["offset"] = offset;
        return (wide * inverse).mul_(offset == 0.0 ? weight : weight + offset).to(output);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
        const at::Tensor normal = x.to(weight.scalar_type()) * inverse;    // [tokens, width]
        const at::Tensor gradient = gradients[0].to(weight.scalar_type()); // [tokens, width]
        at::Tensor weightGradient;
        if (context->needs_input_grad(1))
            weightGradient = (gradient * normal).reshape({-1, weight.size(0)}).sum(0);
        // dx = inverse * (g w - normal * mean(g w normal))
        const double offset = context->saved_data["offset"].toDouble();
        const at::Tensor scaled = gradient * (offset == 0.0 ? weight : weight + offset);
        const at::Tensor along = (scaled * normal).mean(-1, true);
        at::Tensor inputGradient = (scaled - normal * along).mul_(inverse).to(x.scalar_type());
        return {inputGradient, weightGradient, at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon, at::ScalarType output,
                   double offset)
{
    return RmsNormFunction::apply(x, weight, epsilon, offset, output);
}

at::Tensor layerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon,
                     at::ScalarType output)
{
    const std::optional<at::Tensor> optionalBias = bias.defined() ? std::optional(bias) : std::nullopt;
    return at::layer_norm(x.to(weight.scalar_type()), {x.size(-1)}, weight, optionalBias, epsilon).to(output);
}

} // namespace assay
