#include "core/train/trainer.h"

#include "core/base/random.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include <fmt/format.h>

#include <cmath>

namespace assay {

namespace {

std::string rowList(std::span<const MicroBatch> batches)
{
    std::string text;
    std::int64_t count = 0;
    for (const auto& batch : batches)
        for (const auto example : batch.examples)
            if (++count <= 10)
                text += (text.empty() ? "" : ", ") + std::to_string(example);
    return count > 10 ? text + fmt::format(" and {} more", count - 10) : text;
}

} // namespace

Trainer::Trainer(RewardModel& model, const Objective& objective, AdamW& optimiser, Communicator& communicator,
                 TrainerOptions options)
    : m_model(model)
    , m_objective(objective)
    , m_optimiser(optimiser)
    , m_communicator(communicator)
    , m_options(std::move(options))
{}

Result<TrainStep> Trainer::step(std::span<const MicroBatch> batches, std::int64_t step, double learningRate,
                                const std::function<bool()>& betweenBatches)
{
    double count = 0.0;
    for (const auto& batch : batches)
        for (const auto& unit : batch.units)
            count += m_objective.count(unit.targets);
    count = m_communicator.sum(count);
    if (count == 0.0)
        return Error{ErrorCode::BadData, "nothing is supervised in this optimiser step",
                     "rows " + rowList(batches),
                     "Drop rows without a label, or raise the maximum length that cut their labels"};

    m_optimiser.zeroGradients();
    double lossSum = 0.0;
    std::uint64_t unitNumber = 0;
    for (const auto& batch : batches) {
        for (const auto& unit : batch.units) {
            std::optional<HeadDropout> dropout;
            if (m_options.headDropout > 0.0) {
                RandomStream stream(m_options.dropoutSeed,
                                    fmt::format("dropout/{}/{}/{}", step, m_communicator.rank(), unitNumber));
                dropout = HeadDropout{m_options.headDropout, stream.next()};
            }
            ++unitNumber;
            const at::Tensor scores = m_model.scores(unit.input, unit.readOuts, m_options.forward, dropout);
            const LossSum loss = m_objective.loss(scores, unit.targets);
            lossSum += loss.sum.detach().item<double>();
            (loss.sum / count).backward();
        }
        if (!betweenBatches()) {
            m_optimiser.zeroGradients();
            return Error{ErrorCode::Cancelled, "stopped inside an optimiser step"};
        }
    }
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : m_optimiser.parameters())
        if (parameter.tensor.grad().defined())
            gradients.push_back(parameter.tensor.grad());
    m_communicator.sum(gradients);

    TrainStep result;
    result.count = count;
    result.loss = m_communicator.sum(lossSum) / count;
    result.gradientNorm = m_optimiser.gradientNorm();
    if (!std::isfinite(result.loss) || !std::isfinite(result.gradientNorm)) {
        result.skipped = true;
        result.nonFiniteTensor = m_optimiser.firstNonFinite();
        if (result.nonFiniteTensor.empty())
            result.nonFiniteTensor = "loss";
        m_optimiser.zeroGradients();
        return result;
    }
    if (m_options.maximumGradientNorm > 0.0) {
        result.clipped = result.gradientNorm > m_options.maximumGradientNorm;
        m_optimiser.clip(result.gradientNorm, m_options.maximumGradientNorm);
    }
    m_optimiser.step(learningRate);
    m_optimiser.zeroGradients();
    return result;
}

ScoredBatch scoreBatch(const RewardModel& model, const Objective* objective, const MicroBatch& batch,
                       const ForwardOptions& options)
{
    const at::NoGradGuard noGradients;
    ScoredBatch result;
    std::vector<at::Tensor> parts;
    for (const auto& unit : batch.units) {
        const at::Tensor scores = model.scores(unit.input, unit.readOuts, options);
        if (objective) {
            const LossSum loss = objective->loss(scores.to(at::kDouble), unit.targets);
            result.lossSum += loss.sum.item<double>();
            result.lossCount += loss.count;
        }
        parts.push_back(scores.to(at::kDouble).cpu());
    }
    result.scores = parts.size() == 1 ? parts.front() : at::cat(parts);
    return result;
}

} // namespace assay
