#include "core/nn/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
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

/// The pair of dimensions that turns `rotations` times within the original positions.
double turningPair(const RotaryConfig& config, double width, double rotations)
{
    return width * std::log(config.originalPositions / (rotations * 2.0 * std::numbers::pi)) /
           (2.0 * std::log(config.theta));
}

/// 0 = keep the frequency, 1 = divide it by the factor.
double yarnShare(const RotaryConfig& config, std::int64_t pair, std::int64_t width)
{
    const auto wide = static_cast<double>(width);
    double low = turningPair(config, wide, config.fastRotations);
    double high = turningPair(config, wide, config.slowRotations);
    if (config.wholeBounds) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, wide - 1.0);
    if (low == high)
        high += 0.001;
    return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
}

double llama3Frequency(const RotaryConfig& config, double frequency)
{
    const double wavelength = 2.0 * std::numbers::pi / frequency;
    const double low = config.originalPositions / config.lowFrequencyFactor;
    const double high = config.originalPositions / config.highFrequencyFactor;
    if (wavelength > low)
        return frequency / config.factor;
    if (wavelength <= high)
        return frequency;
    const double smooth = (config.originalPositions / wavelength - config.lowFrequencyFactor) /
                          (config.highFrequencyFactor - config.lowFrequencyFactor);
    return (1.0 - smooth) * frequency / config.factor + smooth * frequency;
}

} // namespace

std::vector<double> rotaryFrequencies(const RotaryConfig& config, std::int64_t width)
{
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < width / 2; ++i) {
        double frequency = std::pow(config.theta, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        if (config.type == "linear") {
            frequency /= config.factor;
        } else if (config.type == "llama3") {
            frequency = llama3Frequency(config, frequency);
        } else if (config.type == "yarn") {
            const double share = yarnShare(config, i, width);
            frequency = frequency / config.factor * share + frequency * (1.0 - share);
        }
        frequencies.push_back(frequency);
    }
    return frequencies;
}

RotaryTable rotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies,
                        at::ScalarType type, double amplitude)
{
    const at::Tensor frequency =
        at::tensor(frequencies, at::TensorOptions().dtype(at::kDouble)).to(positions.device()); // [width / 2]
    const at::Tensor angle = positions.to(at::kDouble).unsqueeze(-1) * frequency; // [tokens, width / 2]
    return {angle.cos().mul_(amplitude).to(type).unsqueeze(1),
            angle.sin().mul_(amplitude).to(type).unsqueeze(1)};
}

at::Tensor rotate(const at::Tensor& x, const RotaryTable& table)
{
    const auto width = 2 * table.cosine.size(-1);
    if (width == x.size(-1))
        return RotateFunction::apply(x, table.cosine, table.sine);
    const at::Tensor turned = RotateFunction::apply(x.narrow(-1, 0, width), table.cosine, table.sine);
    return at::cat({turned, x.narrow(-1, width, x.size(-1) - width)}, -1);
}

} // namespace assay
