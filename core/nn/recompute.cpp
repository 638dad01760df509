#include "core/nn/recompute.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace assay {

namespace {

using Block = std::function<at::Tensor(const at::Tensor&)>;

struct BlockHolder : public torch::CustomClassHolder
{
    Block block;
};

class RecomputeFunction : public torch::autograd::Function<RecomputeFunction>
{
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                              const Block& block)
    {
        context->save_for_backward({input});
        auto holder = c10::make_intrusive<BlockHolder>();
        holder->block = block;
        context->saved_data["block"] =
            c10::IValue::make_capsule(c10::static_intrusive_pointer_cast<torch::CustomClassHolder>(holder));
        return block(input);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        const auto holder =
            c10::static_intrusive_pointer_cast<BlockHolder>(context->saved_data["block"].toCapsule());
        at::Tensor input = context->get_saved_variables()[0].detach().requires_grad_(true);
        at::AutoGradMode enable(true);
        const at::Tensor output = holder->block(input);
        torch::autograd::backward({output}, {gradients[0]});
        return {input.grad(), at::Tensor()};
    }
};

} // namespace

at::Tensor recompute(const Block& block, const at::Tensor& input)
{
    return RecomputeFunction::apply(input, block);
}

} // namespace assay
