#include "core/eval/evaluate_steps.h"

#include "core/eval/bootstrap.h"
#include "core/eval/calibration.h"
#include "core/eval/ranking.h"
#include "core/eval/step_curves.h"
#include "core/eval/step_metrics.h"
#include "core/eval/step_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace assay {

namespace {

constexpr int kCalibrationBins = 15;

/// Order is the order of the read-out table.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kTitles{{
    {"loss", "Loss"},
    {"skill", "Skill"},
    {"accuracy", "Accuracy"},
    {"balanced_accuracy", "Bal. acc."},
    {"auroc", "AUROC"},
    {"auprc_negative", "AUPRC, wrong"},
    {"mcc", "MCC"},
    {"first_error_f1", "First-error F1"},
    {"first_error_accuracy_wrong", "First error found"},
    {"first_error_accuracy_correct", "Correct solutions passed"},
    {"within_solution_auroc", "AUROC within solutions"},
    {"tie_rate", "Tied scores"},
    {"predicted_positive_rate", "Predicted correct"},
    {"true_positive_rate", "Correct steps found"},
    {"true_negative_rate", "Wrong steps found"},
    {"base_rate", "Base rate"},
    {"trivial_loss", "Trivial loss"},
    {"best_threshold", "Best threshold"},
    {"best_balanced_accuracy", "Bal. acc. at best threshold"},
    {"ece", "ECE"},
    {"brier", "Brier score"},
    {"score_variance", "Variance of probabilities"},
    {"threshold", "Threshold"},
    {"positives", "Correct steps"},
    {"negatives", "Wrong steps"},
}};

using Statistics = std::map<std::string_view, std::vector<Measure>>;

/// What one prompt group adds to the sums of a resample.
struct GroupSums
{
    Confusion confusion;
    double loss = 0.0, labels = 0.0, steps = 0.0;
    double brier = 0.0;
    double wrongHits = 0.0, wrongSolutions = 0.0, correctHits = 0.0, correctSolutions = 0.0;
};

std::vector<GroupSums> groupSums(const StepView& view, double threshold, double wrongWeight)
{
    std::vector<GroupSums> sums(std::size_t(view.groups));
    for (std::size_t i = 0; i < view.labels.size(); ++i) {
        auto& group = sums[std::size_t(view.group[i])];
        const std::span<const double> probability(&view.probabilities[i], 1), label(&view.labels[i], 1);
        group.confusion += confusion(probability, label, threshold, ThresholdRule::BelowIsWrong);
        group.loss += logLossFromLogits({&view.scores[i], 1}, label, wrongWeight).value.value_or(0.0);
        group.brier += (view.probabilities[i] - view.labels[i]) * (view.probabilities[i] - view.labels[i]);
        group.labels += view.labels[i];
        group.steps += 1.0;
    }
    for (std::size_t i = 0; i < view.solutions.size(); ++i) {
        auto& group = sums[std::size_t(view.solutionGroup[i])];
        const auto& solution = view.solutions[i];
        const bool hit = predictedFirstError(solution.scores, threshold) == solution.firstError;
        (solution.firstError < 0 ? group.correctSolutions : group.wrongSolutions) += 1.0;
        (solution.firstError < 0 ? group.correctHits : group.wrongHits) += hit ? 1.0 : 0.0;
    }
    return sums;
}

GroupSums weighted(const std::vector<GroupSums>& sums, std::span<const std::int32_t> counts)
{
    GroupSums total;
    for (std::size_t g = 0; g < sums.size(); ++g) {
        const auto& group = sums[g];
        const double weight = counts[g];
        total.confusion.truePositive += counts[g] * group.confusion.truePositive;
        total.confusion.trueNegative += counts[g] * group.confusion.trueNegative;
        total.confusion.falsePositive += counts[g] * group.confusion.falsePositive;
        total.confusion.falseNegative += counts[g] * group.confusion.falseNegative;
        total.loss += weight * group.loss;
        total.brier += weight * group.brier;
        total.labels += weight * group.labels;
        total.steps += weight * group.steps;
        total.wrongHits += weight * group.wrongHits;
        total.wrongSolutions += weight * group.wrongSolutions;
        total.correctHits += weight * group.correctHits;
        total.correctSolutions += weight * group.correctSolutions;
    }
    return total;
}

Statistics resampledStatistics(const StepView& view, const RankedLabels& ranked,
                               const StepReportOptions& options)
{
    Statistics statistics;
    const auto sums = groupSums(view, options.threshold, options.wrongWeight);
    const ClusteredBootstrap bootstrap(view.group, view.groups, options.seed);
    constexpr const char* kNoItems = "no items";
    bootstrap.resample(
        options.bootstrapSamples,
        [&](std::span<const std::int32_t> counts, std::span<const std::int32_t> weights) {
            const GroupSums total = weighted(sums, counts);
            statistics["loss"].push_back(Measure::ratio(total.loss, total.steps, kNoItems));
            statistics["accuracy"].push_back(total.confusion.accuracy());
            statistics["balanced_accuracy"].push_back(total.confusion.balancedAccuracy());
            statistics["mcc"].push_back(total.confusion.mcc());
            statistics["predicted_positive_rate"].push_back(total.confusion.predictedPositiveRate());
            statistics["true_positive_rate"].push_back(total.confusion.truePositiveRate());
            statistics["true_negative_rate"].push_back(total.confusion.trueNegativeRate());
            statistics["base_rate"].push_back(Measure::ratio(total.labels, total.steps, kNoItems));
            statistics["brier"].push_back(Measure::ratio(total.brier, total.steps, kNoItems));
            statistics["first_error_accuracy_wrong"].push_back(
                Measure::ratio(total.wrongHits, total.wrongSolutions, "no erroneous solution"));
            statistics["first_error_accuracy_correct"].push_back(
                Measure::ratio(total.correctHits, total.correctSolutions, "no correct solution"));
            statistics["first_error_f1"].push_back(firstErrorF1(total.wrongHits, total.wrongSolutions,
                                                                total.correctHits, total.correctSolutions));
            statistics["auroc"].push_back(ranked.auroc(weights));
            statistics["auprc_negative"].push_back(ranked.averagePrecisionWrong(weights));
        },
        options.stop);
    return statistics;
}

Measure lossOf(const StepView& view, const StepReportOptions& options)
{
    if (!options.loss)
        return logLossFromLogits(view.scores, view.labels, options.wrongWeight);
    return std::isfinite(*options.loss) ? Measure::of(*options.loss) : Measure::undefined("non-finite loss");
}

/// Point estimates by metric id.
std::map<std::string_view, Measure> pointEstimates(const StepView& view, const RankedLabels& ranked,
                                                   const StepReportOptions& options)
{
    std::map<std::string_view, Measure> points;
    const Confusion counts =
        confusion(view.probabilities, view.labels, options.threshold, ThresholdRule::BelowIsWrong);
    points["loss"] = lossOf(view, options);
    points["trivial_loss"] = trivialLoss(view.labels, options.wrongWeight);
    points["skill"] = skill(points["loss"], points["trivial_loss"]);
    points["accuracy"] = counts.accuracy();
    points["balanced_accuracy"] = counts.balancedAccuracy();
    points["mcc"] = counts.mcc();
    points["predicted_positive_rate"] = counts.predictedPositiveRate();
    points["true_positive_rate"] = counts.truePositiveRate();
    points["true_negative_rate"] = counts.trueNegativeRate();
    points["base_rate"] = baseRate(view.labels);
    points["positives"] = Measure::of(double(counts.positives()));
    points["negatives"] = Measure::of(double(counts.negatives()));
    points["auroc"] = ranked.auroc();
    points["auprc_negative"] = ranked.averagePrecisionWrong();
    points["tie_rate"] = ranked.tieRate();
    points["within_solution_auroc"] = withinSolutionAuroc(view);
    const auto firstError = firstErrorMetrics(view.solutions, options.threshold);
    points["first_error_f1"] = firstError.f1;
    points["first_error_accuracy_wrong"] = firstError.accuracyWrong;
    points["first_error_accuracy_correct"] = firstError.accuracyCorrect;
    const auto best = RankedLabels(view.probabilities, view.labels).bestThreshold();
    const Measure oneClass = Measure::undefined("only one class among the labels");
    points["best_threshold"] = best ? Measure::of(best->threshold) : oneClass;
    points["best_balanced_accuracy"] = best ? Measure::of(best->balancedAccuracy) : oneClass;
    points["ece"] = calibrationError(view.probabilities, view.labels, kCalibrationBins, Binning::EqualWidth);
    points["brier"] = brier(view.probabilities, view.labels);
    points["score_variance"] = variance(view.probabilities);
    points["threshold"] = Measure::of(options.threshold);
    return points;
}

/// What a constant or chance reaches on the same labels.
std::map<std::string_view, double> chanceLevels(const StepView& view, double wrongWeight)
{
    const Measure rate = baseRate(view.labels);
    if (!rate)
        return {};
    double wrong = 0.0;
    for (const double label : view.labels)
        wrong += isCorrect(label) ? 0.0 : 1.0;
    const double shareWrong = wrong / double(view.labels.size());
    std::map<std::string_view, double> chance{
        {"accuracy", std::max(shareWrong, 1.0 - shareWrong)},
        {"balanced_accuracy", 0.5},
        {"best_balanced_accuracy", 0.5},
        {"auroc", 0.5},
        {"within_solution_auroc", 0.5},
        {"auprc_negative", shareWrong},
        {"mcc", 0.0},
        {"skill", 0.0},
        {"first_error_f1", 0.0},
        {"loss", *trivialLoss(view.labels, wrongWeight).value},
    };
    std::vector<double> constant(view.labels.size(), std::clamp(*rate.value, 0.0, 1.0));
    chance["brier"] = *brier(constant, view.labels).value;
    return chance;
}

Report undefinedReport(const std::string& reason, const StepReportOptions& options)
{
    Report report;
    for (const auto& [id, title] : kTitles) {
        Metric metric{std::string(id), std::string(title), {}, {}, {}, {}, reason};
        if (id == "threshold") {
            metric.value = options.threshold;
            metric.undefinedReason.clear();
        }
        report.metrics.push_back(std::move(metric));
    }
    return report;
}

} // namespace

std::string_view metricTitle(std::string_view id)
{
    for (const auto& [known, title] : kTitles)
        if (known == id)
            return title;
    return id;
}

Report stepReport(const EvaluatedSet& set, const StepReportOptions& options)
{
    const StepView view = stepView(set);
    std::string reason = view.scores.empty() ? "no supervised step" : nonFiniteReason(view.scores);
    if (reason.empty())
        reason = nonFiniteReason(view.probabilities);
    Report report;
    if (!reason.empty()) {
        report = undefinedReport(reason, options);
    } else {
        const RankedLabels ranked(view.scores, view.labels);
        const auto points = pointEstimates(view, ranked, options);
        const auto chance = chanceLevels(view, options.wrongWeight);
        auto statistics = resampledStatistics(view, ranked, options);
        if (options.stop.stop_requested())
            statistics.clear();
        for (const auto& [id, title] : kTitles) {
            const Measure& point = points.at(id);
            Metric metric{std::string(id), std::string(title), point.value, {}, {}, {}, point.reason};
            if (const auto level = chance.find(id); level != chance.end())
                metric.chance = level->second;
            if (const auto found = statistics.find(id); point && found != statistics.end())
                if (const auto interval = percentileInterval(found->second)) {
                    metric.low = interval->low;
                    metric.high = interval->high;
                }
            report.metrics.push_back(std::move(metric));
        }
    }
    report.metrics.insert(report.metrics.end(), options.baselines.begin(), options.baselines.end());
    for (auto& curve : histogramCurves(view))
        report.curves.push_back(std::move(curve));
    for (auto& curve : positionCurves(view))
        report.curves.push_back(std::move(curve));
    return report;
}

} // namespace assay
