#include "core/objective/stepwise.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>

namespace assay {

namespace {

double supervised(const TargetTensors& targets)
{
    return targets.mask.sum().item<double>();
}

/// Losses of "correct" and of "wrong" weighed by the label; both objectives end here.
LossSum weighed(const at::Tensor& lossIfCorrect, const at::Tensor& lossIfWrong, const TargetTensors& targets,
                double wrongWeight)
{
    const at::Tensor y = targets.value.to(lossIfCorrect.scalar_type());
    const at::Tensor mask = targets.mask.to(lossIfCorrect.scalar_type());
    at::Tensor loss = y * lossIfCorrect + (1.0 - y) * wrongWeight * lossIfWrong; // [scores]
    if (targets.weight.defined())
        loss = loss * targets.weight.to(loss.scalar_type());
    return {(loss * mask).sum(), supervised(targets)};
}

class CrossEntropy : public Objective
{
public:
    explicit CrossEntropy(double wrongWeight)
        : m_wrongWeight(wrongWeight)
    {}
    std::string_view name() const override { return "cross-entropy"; }
    std::int64_t outputs() const override { return 2; }
    double count(const TargetTensors& targets) const override { return supervised(targets); }
    LossSum loss(const at::Tensor& scores, const TargetTensors& targets) const override
    {
        const at::Tensor log = -at::log_softmax(scores, -1); // [scores, 2]
        return weighed(log.select(1, 1), log.select(1, 0), targets, m_wrongWeight);
    }

private:
    double m_wrongWeight;
};

class Binary : public Objective
{
public:
    explicit Binary(double wrongWeight)
        : m_wrongWeight(wrongWeight)
    {}
    std::string_view name() const override { return "binary"; }
    std::int64_t outputs() const override { return 1; }
    double count(const TargetTensors& targets) const override { return supervised(targets); }
    LossSum loss(const at::Tensor& scores, const TargetTensors& targets) const override
    {
        const at::Tensor logit = scores.select(1, 0); // [scores]
        return weighed(-at::log_sigmoid(logit), -at::log_sigmoid(-logit), targets, m_wrongWeight);
    }

private:
    double m_wrongWeight;
};

} // namespace

std::unique_ptr<Objective> makeCrossEntropy(const ObjectiveOptions& options)
{
    return std::make_unique<CrossEntropy>(options.wrongWeight);
}

std::unique_ptr<Objective> makeBinary(const ObjectiveOptions& options)
{
    return std::make_unique<Binary>(options.wrongWeight);
}

} // namespace assay
