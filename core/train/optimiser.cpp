#include "core/train/optimiser.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace assay {

AdamW::AdamW(Parameters parameters, const OptimiserConfig& config)
    : m_parameters(std::move(parameters))
    , m_config(config)
{
    for (const auto& parameter : m_parameters) {
        m_first.push_back(at::zeros_like(parameter.tensor, parameter.tensor.options().requires_grad(false)));
        m_second.push_back(at::zeros_like(m_first.back()));
        m_steps.push_back(
            at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(parameter.tensor.device())));
    }
}

void AdamW::step(double learningRate)
{
    for (const bool decays : {true, false}) {
        std::vector<at::Tensor> weights, gradients, first, second, steps;
        for (std::size_t i = 0; i < m_parameters.size(); ++i) {
            const at::Tensor& tensor = m_parameters[i].tensor;
            if (m_parameters[i].decays != decays || !tensor.grad().defined())
                continue;
            weights.push_back(tensor.detach());
            gradients.push_back(tensor.grad());
            first.push_back(m_first[i]);
            second.push_back(m_second[i]);
            m_steps[i].add_(1);
            steps.push_back(m_steps[i]);
        }
        if (!weights.empty())
            at::_fused_adamw_(weights, gradients, first, second, {}, steps, learningRate,
                              m_config.betas.at(0), m_config.betas.at(1), decays ? m_config.weightDecay : 0.0,
                              m_config.epsilon, false, false);
    }
}

void AdamW::zeroGradients()
{
    for (auto& parameter : m_parameters)
        parameter.tensor.mutable_grad().reset();
}

double AdamW::gradientNorm() const
{
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : m_parameters)
        if (parameter.tensor.grad().defined())
            gradients.push_back(parameter.tensor.grad());
    double squares = 0.0;
    if (!gradients.empty())
        for (const auto& norm : at::_foreach_norm(gradients, 2)) {
            const double value = norm.item<double>();
            squares += value * value;
        }
    return std::sqrt(squares);
}

void AdamW::clip(double norm, double maximum)
{
    constexpr double kEpsilon = 1e-6;
    const double factor = maximum / (norm + kEpsilon);
    if (factor >= 1.0)
        return;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : m_parameters)
        if (parameter.tensor.grad().defined())
            gradients.push_back(parameter.tensor.grad());
    at::_foreach_mul_(gradients, factor);
}

std::string AdamW::firstNonFinite() const
{
    for (const auto& parameter : m_parameters)
        if (parameter.tensor.grad().defined() && !parameter.tensor.grad().isfinite().all().item<bool>())
            return parameter.name;
    return {};
}

std::map<std::string, at::Tensor> AdamW::state() const
{
    std::map<std::string, at::Tensor> result;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        result["first." + m_parameters[i].name] = m_first[i];
        result["second." + m_parameters[i].name] = m_second[i];
        result["steps." + m_parameters[i].name] = m_steps[i];
    }
    return result;
}

Status AdamW::setState(const std::map<std::string, at::Tensor>& state)
{
    const auto restore = [&state](const std::string& name, at::Tensor& into) -> Status {
        const auto found = state.find(name);
        if (found == state.end())
            return Error{ErrorCode::BadModel, "the optimiser state lacks " + name, "optimiser.safetensors"};
        if (found->second.sizes() != into.sizes())
            return Error{ErrorCode::BadModel, "the optimiser state has another shape for " + name,
                         "optimiser.safetensors"};
        into.copy_(found->second);
        return {};
    };
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        TRY_STATUS(restore("first." + m_parameters[i].name, m_first[i]));
        TRY_STATUS(restore("second." + m_parameters[i].name, m_second[i]));
        TRY_STATUS(restore("steps." + m_parameters[i].name, m_steps[i]));
    }
    return {};
}

} // namespace assay
