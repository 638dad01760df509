#include "core/run/evaluation.h"

#include "core/base/clock.h"
#include "core/eval/evaluate_steps.h"
#include "core/eval/pairs/pair_report.h"
#include "core/run/evaluated_rows.h"
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

Report reportOf(const ScoredSide& scored, const PreparedData& data, const EvaluationSettings& settings)
{
    const auto samples = static_cast<std::int32_t>(settings.bootstrapSamples);
    if (settings.task == Task::Pairs) {
        PairReportOptions options;
        options.bootstrapSamples = samples;
        options.seed = settings.seed;
        options.loss = scored.loss;
        options.trivialLoss = scored.trivialLoss;
        options.margins = scored.margins;
        options.centring = settings.centring;
        return pairReport(scored.set, options);
    }
    StepReportOptions options;
    options.threshold = settings.threshold;
    options.bootstrapSamples = samples;
    options.seed = settings.seed;
    options.loss = scored.loss;
    options.wrongWeight = settings.wrongWeight;
    options.baselines = data.baselines.metrics;
    return stepReport(scored.set, options);
}

} // namespace

CollateOptions collateOptions(const ExperimentConfig& config, const ComputeChoice& compute,
                              const Backbone& backbone)
{
    CollateOptions options;
    options.attention = backbone.attention();
    options.execution = executionFromName(config.batch.execution).value_or(Execution::Merged);
    options.device = compute.device;
    options.scoreType = compute.weights;
    options.batchedPairs = compute.products == at::kBFloat16 ? kBatchedPartPairsBfloat16 : kBatchedPartPairs;
    // The fused kernel that returns a log-sum-exp is the CPU's; elsewhere every part is a batched product.
    if (!compute.device.is_cpu())
        options.batchedPairs = std::numeric_limits<std::int64_t>::max();
    return options;
}

EvaluationSettings evaluationSettings(const ExperimentConfig& config, const ComputeChoice& compute,
                                      const Backbone& backbone)
{
    EvaluationSettings settings;
    settings.collate = collateOptions(config, compute, backbone);
    settings.forward.compute = compute.products;
    settings.task = taskOf(config);
    settings.wrongWeight = config.objective.wrongWeight;
    settings.centring = config.objective.centring;
    settings.threshold = settings.task == Task::Steps ? config.evaluation.threshold : 0.5;
    settings.bootstrapSamples = config.evaluation.bootstrapSamples;
    settings.seed = static_cast<std::uint64_t>(config.run.seed);
    return settings;
}

std::string EvaluationProgress::text(Task task) const
{
    return fmt::format("Evaluating {} of {} {}", rowsDone, rows, task == Task::Pairs ? "pairs" : "solutions");
}

Result<ScoredSide> scoreSide(const RewardModel& model, const Objective& objective, const PreparedSide& side,
                             const EvaluationSettings& settings,
                             const std::function<bool(const EvaluationProgress&)>& goOn)
{
    ScoredSide scored;
    std::vector<std::size_t> firstPrediction(side.rows.size(), 0);
    scored.set = rowsWithoutScores(side);
    std::size_t first = 0;
    for (const auto row : side.kept) {
        firstPrediction[static_cast<std::size_t>(row)] = first;
        first += side.rows[static_cast<std::size_t>(row)].scores.size();
    }
    double lossSum = 0.0;
    double lossCount = 0.0;
    EvaluationProgress progress{0, static_cast<std::int64_t>(side.kept.size())};
    for (const auto& taken : evaluationBatches(side, settings.batchTokens)) {
        if (!goOn(progress))
            return Error{ErrorCode::Cancelled, "evaluation stopped"};
        std::vector<const LaidOut*> rows;
        for (const auto row : taken)
            rows.push_back(&side.rows[static_cast<std::size_t>(row)]);
        const auto batch = collate(rows, settings.collate);
        const auto result = scoreBatch(model, &objective, batch, settings.forward);
        lossSum += result.lossSum;
        lossCount += result.lossCount;
        const auto [logits, probabilities] = model.head().correct(result.scores);
        const auto* logit = logits.const_data_ptr<double>();
        const auto* probability = probabilities.const_data_ptr<double>();
        std::size_t next = 0;
        for (const auto row : taken) {
            const auto count = side.rows[static_cast<std::size_t>(row)].scores.size();
            for (std::size_t i = 0; i < count; ++i, ++next) {
                auto& prediction = scored.set.predictions[firstPrediction[static_cast<std::size_t>(row)] + i];
                prediction.score = static_cast<float>(logit[next]);
                prediction.probability = static_cast<float>(probability[next]);
                if (!std::isfinite(logit[next]))
                    return Error{
                        ErrorCode::Numeric, "a score is not finite",
                        fmt::format("row {}, {} {}", side.dataset->key(row).row + 1,
                                    prediction.step < 0 ? "answer" : "step",
                                    (prediction.step < 0 ? prediction.readOut : prediction.step) + 1),
                        "The weights hold a NaN or infinity; resume from an earlier checkpoint with a lower "
                        "learning rate"};
            }
        }
        progress.rowsDone += static_cast<std::int64_t>(taken.size());
    }
    (void)goOn(progress); // every row is scored: what is left is not worth giving up
    if (settings.task == Task::Pairs) {
        setPairProbabilities(scored.set);
        scored.trivialLoss = trivialPairLoss(side);
        scored.margins = pairMargins(side);
    }
    scored.loss = lossCount > 0.0 ? lossSum / lossCount : std::nan("");
    scored.readOuts = static_cast<std::int64_t>(lossCount);
    return scored;
}

EvaluationRecord judge(const ScoredSide& scored, const PreparedData& data, const EvaluationSettings& settings,
                       const VerdictContext& context, Verdict& verdict)
{
    EvaluationRecord record;
    record.report = reportOf(scored, data, settings);
    record.at = nowMilliseconds();
    record.loss = scored.loss;
    record.examples = static_cast<std::int64_t>(scored.set.examples.size());
    record.readOuts = scored.readOuts;
    record.threshold = settings.threshold;
    // The report knows the scores and the null ladder; the labels and the course of training are added here.
    auto input = settings.task == Task::Pairs ? pairVerdictInput(record.report)
                                              : verdictInput(record.report, settings.threshold);
    input.supervisedPerStep = data.checks.supervisedPerStep;
    input.ignoreValuesAsLabels = data.checks.ignoreValuesAsLabels;
    input.leakedShare = data.checks.leakedShare;
    input.evaluationsDone = context.evaluationsDone;
    input.trainedShare = context.trainedShare;
    input.finished = context.finished;
    for (const auto& step : context.recentSteps) {
        input.nonFinite = input.nonFinite || step.skipped;
        input.recentTrainLoss.push_back(step.loss);
    }
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
