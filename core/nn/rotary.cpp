#include "core/nn/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numbers>

namespace assay {

namespace {

at::Tensor rotated(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine)
{
    const auto half = x.size(-1) / 2;
    const at::Tensor first = x.narrow(-1, 0, half);
    const at::Tensor second = x.narrow(-1, half, half);
    at::Tensor result = at::empty_like(x, x.options(), at::MemoryFormat::Contiguous);
    result.narrow(-1, 0, half).copy_(first * cosine).addcmul_(second, sine, -1);
    result.narrow(-1, half, half).copy_(second * cosine).addcmul_(first, sine);
    return result;
}

/// A rotation's gradient is the rotation back: nothing but the angles is saved.
class RotateFunction : public torch::autograd::Function<RotateFunction>
{
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& cosine, const at::Tensor& sine)
    {
        context->save_for_backward({cosine, sine});
        return rotated(x, cosine, sine);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        return {rotated(gradients[0], saved[0], -saved[1]), at::Tensor(), at::Tensor()};
    }
};

} // namespace

std::vector<double> rotaryFrequencies(const RotaryConfig& config, std::int64_t headWidth)
{
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < headWidth / 2; ++i) {
        double frequency =
            std::pow(config.theta, -2.0 * static_cast<double>(i) / static_cast<double>(headWidth));
        if (config.type == "linear") {
            frequency /= config.factor;
        } else if (config.type == "llama3") {
            const double wavelength = 2.0 * std::numbers::pi / frequency;
            const double low = config.originalPositions / config.lowFrequencyFactor;
            const double high = config.originalPositions / config.highFrequencyFactor;
            if (wavelength > low) {
                frequency /= config.factor;
            } else if (wavelength > high) {
                const double smooth = (config.originalPositions / wavelength - config.lowFrequencyFactor) /
                                      (config.highFrequencyFactor - config.lowFrequencyFactor);
                frequency = (1.0 - smooth) * frequency / config.factor + smooth * frequency;
            }
        }
        frequencies.push_back(frequency);
    }
    return frequencies;
}

RotaryTable rotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies,
                        at::ScalarType type)
{
    const at::Tensor frequency = at::tensor(frequencies, at::TensorOptions().dtype(at::kDouble))
                                     .to(positions.device());                     // [headWidth / 2]
    const at::Tensor angle = positions.to(at::kDouble).unsqueeze(-1) * frequency; // [tokens, headWidth / 2]
    return {angle.cos().to(type).unsqueeze(1), angle.sin().to(type).unsqueeze(1)};
}

at::Tensor rotate(const at::Tensor& x, const RotaryTable& table)
{
    return RotateFunction::apply(x, table.cosine, table.sine);
}

} // namespace assay
