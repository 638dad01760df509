#include "core/run/evaluation.h"

#include "core/base/clock.h"
#include "core/eval/evaluate_steps.h"
#include "core/run/scoring/batches_by_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

namespace assay {

namespace {

/// The kept rows in batches.
std::vector<std::vector<std::int64_t>> evaluationBatches(const PreparedSide& side, std::int64_t batchTokens)
{
    std::vector<std::int64_t> tokens;
    for (const auto row : side.kept)
        tokens.push_back(side.rows[static_cast<std::size_t>(row)].tokens());
    std::vector<std::vector<std::int64_t>> batches;
    for (const auto& batch : batchesByLength(tokens, batchTokens)) {
        batches.emplace_back();
        for (const auto index : batch)
            batches.back().push_back(side.kept[index]);
    }
    return batches;
}

struct StepExtent
{
    std::int32_t tokens = 0, characters = 0;
};

StepExtent extentOf(const Example& example, const LaidOut& row, std::size_t score)
{
    StepExtent extent;
    const auto step = row.scoreStep[score];
    for (const auto& sequence : row.sequences)
        extent.tokens +=
            static_cast<std::int32_t>(std::count(sequence.step.begin(), sequence.step.end(), step));
    if (const auto* steps = example.stepwise();
        steps && step >= 0 && step < static_cast<std::int32_t>(steps->steps.size()))
        extent.characters =
            static_cast<std::int32_t>(steps->steps[static_cast<std::size_t>(step)].text.size());
    return extent;
}

/// Fills in what does not depend on the model.
void addRow(EvaluatedSet& set, const Example& example, const LaidOut& row)
{
    const auto index = static_cast<std::int32_t>(set.examples.size());
    EvaluatedExample evaluated{example.id, example.group, example.row, 0};
    evaluated.steps = example.stepwise() ? static_cast<std::int32_t>(example.stepwise()->steps.size())
                                         : static_cast<std::int32_t>(row.scores.size());
    set.examples.push_back(std::move(evaluated));
    for (std::size_t i = 0; i < row.scores.size(); ++i) {
        const auto extent = extentOf(example, row, i);
        Prediction prediction;
        prediction.example = index;
        prediction.readOut = static_cast<std::int32_t>(i);
        prediction.step = row.scoreStep[i];
        prediction.label = row.targets.value[i];
        prediction.supervised = row.targets.mask[i] != 0;
        prediction.tokens = extent.tokens;
        prediction.characters = extent.characters;
        set.predictions.push_back(prediction);
    }
}

} // namespace

CollateOptions collateOptions(const ExperimentConfig& config, const ComputeChoice& compute)
{
    CollateOptions options;
    options.execution = executionFromName(config.batch.execution).value_or(Execution::Merged);
    options.device = compute.device;
    options.scoreType = compute.weights;
    options.batchedPairs = compute.products == at::kBFloat16 ? kBatchedPartPairsBfloat16 : kBatchedPartPairs;
    // The fused kernel that returns a log-sum-exp is the CPU's; elsewhere every part is a batched product.
    if (!compute.device.is_cpu())
        options.batchedPairs = std::numeric_limits<std::int64_t>::max();
    return options;
}

EvaluationSettings evaluationSettings(const ExperimentConfig& config, const ComputeChoice& compute)
{
    EvaluationSettings settings;
    settings.collate = collateOptions(config, compute);
    settings.forward.compute = compute.products;
    settings.threshold = config.evaluation.threshold;
    settings.bootstrapSamples = config.evaluation.bootstrapSamples;
    settings.seed = static_cast<std::uint64_t>(config.run.seed);
    return settings;
}

Result<ScoredSide> scoreSide(const RewardModel& model, const Objective& objective, const PreparedSide& side,
                             const EvaluationSettings& settings, const std::function<void(double)>& between,
                             const std::stop_token& stop)
{
    ScoredSide scored;
    std::vector<std::size_t> firstPrediction(side.rows.size(), 0);
    for (const auto row : side.kept) {
        firstPrediction[static_cast<std::size_t>(row)] = scored.set.predictions.size();
        addRow(scored.set, side.dataset->at(row), side.rows[static_cast<std::size_t>(row)]);
    }
    double lossSum = 0.0;
    double lossCount = 0.0;
    const auto batches = evaluationBatches(side, settings.batchTokens);
    for (std::size_t b = 0; b < batches.size(); ++b) {
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "evaluation stopped"};
        std::vector<const LaidOut*> rows;
        for (const auto row : batches[b])
            rows.push_back(&side.rows[static_cast<std::size_t>(row)]);
        const auto batch = collate(rows, settings.collate);
        const auto result = scoreBatch(model, &objective, batch, settings.forward);
        lossSum += result.lossSum;
        lossCount += result.lossCount;
        const auto [logits, probabilities] = model.head().correct(result.scores);
        const auto* logit = logits.const_data_ptr<double>();
        const auto* probability = probabilities.const_data_ptr<double>();
        std::size_t next = 0;
        for (const auto row : batches[b]) {
            const auto count = side.rows[static_cast<std::size_t>(row)].scores.size();
            for (std::size_t i = 0; i < count; ++i, ++next) {
                auto& prediction = scored.set.predictions[firstPrediction[static_cast<std::size_t>(row)] + i];
                prediction.score = static_cast<float>(logit[next]);
                prediction.probability = static_cast<float>(probability[next]);
                if (!std::isfinite(logit[next]))
                    return Error{
                        ErrorCode::Numeric, "a score is not finite",
                        fmt::format("row {}, step {}", side.dataset->at(row).row, prediction.step + 1),
                        "The weights hold a NaN or infinity; resume from an earlier checkpoint with a lower "
                        "learning rate"};
            }
        }
        between(static_cast<double>(b + 1) / static_cast<double>(batches.size()));
    }
    scored.loss = lossCount > 0.0 ? lossSum / lossCount : std::nan("");
    scored.readOuts = static_cast<std::int64_t>(lossCount);
    return scored;
}

EvaluationRecord judge(const ScoredSide& scored, const PreparedData& data, const EvaluationSettings& settings,
                       const VerdictContext& context, Verdict& verdict)
{
    EvaluationRecord record;
    StepReportOptions options;
    options.threshold = settings.threshold;
    options.bootstrapSamples = static_cast<std::int32_t>(settings.bootstrapSamples);
    options.seed = settings.seed;
    options.loss = scored.loss;
    options.baselines = data.baselines.metrics;
    record.report = stepReport(scored.set, options);
    record.at = nowMilliseconds();
    record.loss = scored.loss;
    record.examples = static_cast<std::int64_t>(scored.set.examples.size());
    record.readOuts = scored.readOuts;
    record.threshold = settings.threshold;
    // The report knows the scores and the null ladder; the labels and the course of training are added here.
    auto input = verdictInput(record.report, settings.threshold);
    input.supervisedPerStep = data.checks.supervisedPerStep;
    input.ignoreValuesAsLabels = data.checks.ignoreValuesAsLabels;
    input.leakedShare = data.checks.leakedShare;
    input.evaluationsDone = context.evaluationsDone;
    input.trainedShare = context.trainedShare;
    input.finished = context.finished;
    input.nonFinite = input.nonFinite || context.nonFinite;
    input.recentTrainLoss = context.recentTrainLoss;
    input.evaluationLoss = context.evaluationLoss;
    input.evaluationLoss.push_back(scored.loss);
    verdict = decideVerdict(input);
    record.verdictId = verdictId(verdict.kind);
    record.verdictBadge = verdict.badge();
    record.verdictSentence = verdict.sentence;
    record.verdictEvidence = verdict.evidence;
    record.verdictRemedy = verdict.remedy;
    record.suggestedThreshold = verdict.suggestedThreshold;
    return record;
}

std::vector<StoredPrediction> storedPredictions(const EvaluatedSet& set)
{
    // Equal rows have one content hash and equal scores: the store keeps them once.
    std::vector<StoredPrediction> rows;
    rows.reserve(set.predictions.size());
    std::unordered_map<std::string, std::int32_t> firstOf;
    for (const auto& prediction : set.predictions) {
        const auto& id = set.examples[static_cast<std::size_t>(prediction.example)].id;
        if (firstOf.try_emplace(id, prediction.example).first->second != prediction.example)
            continue;
        rows.push_back({0, id, prediction.readOut, prediction.step, prediction.output, prediction.score,
                        prediction.probability, prediction.label, prediction.supervised});
    }
    return rows;
}

} // namespace assay
