#include "core/run/step_batches.h"

#include <algorithm>
#include <numeric>

namespace assay {

namespace {

std::int64_t tokensOfKept(const PreparedSide& side, std::int64_t kept)
{
    return side.rows[static_cast<std::size_t>(side.kept[static_cast<std::size_t>(kept)])].tokens();
}

} // namespace

BatchPlan batchPlanOf(const ExperimentConfig& config, const PreparedSide& train)
{
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(train.kept.size()); ++i)
        lengths.push_back(tokensOfKept(train, i));
    BatchPlanOptions options;
    options.examples = config.batch.examples;
    options.accumulation = config.batch.accumulation;
    options.maximumTokens = config.batch.maximumTokens;
    options.shuffled = config.batch.order == "shuffled";
    options.seed = config.seedFor(config.run.orderSeed);
    options.repeatFirstStep = config.run.overfitOneBatch;
    return {std::move(lengths), options};
}

std::int64_t plannedStepsOf(const ExperimentConfig& config, const PreparedSide& train)
{
    const auto& schedule = config.schedule;
    const auto byEpochs = batchPlanOf(config, train).stepsIn(schedule.epochs);
    // The overfit control repeats one step, so its data never end.
    if (schedule.maximumSteps > 0 && (config.run.overfitOneBatch || schedule.maximumSteps < byEpochs))
        return schedule.maximumSteps;
    return byEpochs;
}

TrainerOptions trainerOptions(const ExperimentConfig& config, const ComputeChoice& compute)
{
    TrainerOptions options;
    options.forward.compute = compute.products;
    options.forward.recompute = config.compute.activationCheckpointing;
    options.maximumGradientNorm = config.optimiser.maximumGradientNorm;
    options.headDropout = config.head.dropout;
    options.dropoutSeed = config.seedFor(config.run.dropoutSeed);
    return options;
}

MicroBatch collateKept(const PreparedSide& side, std::span<const std::int64_t> kept,
                       const CollateOptions& options)
{
    std::vector<const LaidOut*> rows;
    std::vector<std::int64_t> numbers;
    for (const auto position : kept) {
        const auto row = side.kept[static_cast<std::size_t>(position)];
        rows.push_back(&side.rows[static_cast<std::size_t>(row)]);
        numbers.push_back(side.dataset->key(row).row);
    }
    auto batch = collate(rows, options);
    batch.examples = std::move(numbers);
    return batch;
}

std::vector<MicroBatch> collateStep(const BatchPlan::Step& step, std::size_t rank, const PreparedSide& side,
                                    const CollateOptions& options)
{
    std::vector<MicroBatch> batches;
    for (const auto& examples : step.ranks[rank])
        batches.push_back(collateKept(side, examples, options));
    return batches;
}

std::vector<std::int64_t> longestMicroBatch(const ExperimentConfig& config, const PreparedSide& side)
{
    std::vector<std::int64_t> order(side.kept.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&side](std::int64_t a, std::int64_t b) {
        return tokensOfKept(side, a) > tokensOfKept(side, b);
    });
    std::vector<std::int64_t> longest;
    std::int64_t tokens = 0;
    for (const auto position : order) {
        const auto length = tokensOfKept(side, position);
        const bool full = static_cast<std::int64_t>(longest.size()) >= config.batch.examples ||
                          (config.batch.maximumTokens > 0 && !longest.empty() &&
                           tokens + length > config.batch.maximumTokens);
        if (full)
            break;
        longest.push_back(position);
        tokens += length;
    }
    return longest;
}

} // namespace assay
