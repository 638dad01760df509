#include "core/eval/pairs/pair_report.h"

#include "core/eval/bootstrap.h"
#include "core/eval/calibration.h"
#include "core/eval/pairs/pair_curves.h"
#include "core/eval/pairs/pair_metrics.h"
#include "core/eval/ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

namespace {

constexpr int kCalibrationBins = 15;
constexpr double kLn2 = 0.693147180559945309;

/// Order is the order of the read-out table.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kTitles{{
    {"loss", "Loss"},
    {"skill", "Skill"},
    {"pair_accuracy", "Pair accuracy"},
    {"pair_accuracy_wilson", "Pair accuracy, Wilson"},
    {"group_accuracy", "Accuracy, mean of prompts"},
    {"tie_rate", "Tied pairs"},
    {"margin_mean", "Mean margin"},
    {"margin_median", "Median margin"},
    {"margin_spread", "Size of margins (rms)"},
    {"log_loss", "Log loss"},
    {"pooled_auroc", "AUROC over all answers"},
    {"ece", "ECE"},
    {"accuracy_chosen_longer", "Accuracy, chosen longer"},
    {"accuracy_chosen_shorter", "Accuracy, chosen shorter"},
    {"length_correlation", "Reward and length (rank)"},
    {"gain_over_length", "Gain over length"},
    {"reward_minimum", "Smallest reward"},
    {"reward_mean", "Mean reward"},
    {"reward_maximum", "Largest reward"},
    {"reward_deviation", "Spread of rewards"},
    {"trivial_loss", "Trivial loss"},
    {"pairs", "Pairs"},
}};

using Measures = std::map<std::string_view, Measure>;
using Statistics = std::map<std::string_view, std::vector<Measure>>;

/// What one prompt group adds to the sums of a resample.
struct GroupSums
{
    double pairs = 0.0, wins = 0.0, ties = 0.0, gaps = 0.0, logLoss = 0.0, loss = 0.0, longest = 0.0;
};

/// The objective's loss of one pair.
double objectiveLoss(const PairView& view, std::size_t i, const PairReportOptions& options)
{
    const double margin = options.margins.empty() ? 0.0 : options.margins.at(std::size_t(view.example[i]));
    const double sum = view.chosen[i] + view.rejected[i];
    return pairLogLoss(view.chosen[i] - view.rejected[i] - margin) + options.centring * sum * sum;
}

double longestWin(const PairView& view, std::size_t i)
{
    return pairWin(view.chosenTokens[i], view.rejectedTokens[i]);
}

std::vector<GroupSums> groupSums(const PairView& view, const PairReportOptions& options)
{
    std::vector<GroupSums> sums(std::size_t(view.groups));
    for (std::size_t i = 0; i < view.size(); ++i) {
        auto& group = sums[std::size_t(view.group[i])];
        const double win = pairWin(view.chosen[i], view.rejected[i]);
        group.pairs += 1.0;
        group.wins += win;
        group.ties += win == 0.5 ? 1.0 : 0.0;
        group.gaps += view.chosen[i] - view.rejected[i];
        group.logLoss += pairLogLoss(view.chosen[i] - view.rejected[i]);
        group.loss += objectiveLoss(view, i, options);
        group.longest += longestWin(view, i);
    }
    return sums;
}

/// All rewards with the side they stand on.
struct Rewards
{
    std::vector<double> values, sides, tokens;
};

Rewards rewardsOf(const PairView& view)
{
    Rewards rewards;
    for (std::size_t i = 0; i < view.size(); ++i) {
        rewards.values.insert(rewards.values.end(), {view.chosen[i], view.rejected[i]});
        rewards.sides.insert(rewards.sides.end(), {1.0, 0.0});
        rewards.tokens.insert(rewards.tokens.end(),
                              {double(view.chosenTokens[i]), double(view.rejectedTokens[i])});
    }
    return rewards;
}

/// Accuracy of the better of the two rulers, from the wins of the longer one.
double bestRuler(double longest, bool longerIsBetter)
{
    return longerIsBetter ? longest : 1.0 - longest;
}

Statistics resampledStatistics(const PairView& view, const Rewards& rewards, bool longerIsBetter,
                               const PairReportOptions& options)
{
    Statistics statistics;
    const auto sums = groupSums(view, options);
    const RankedLabels ranked(rewards.values, rewards.sides);
    std::vector<std::int32_t> rewardWeights(rewards.values.size());
    const ClusteredBootstrap bootstrap(view.group, view.groups, options.seed);
    bootstrap.resample(
        options.bootstrapSamples,
        [&](std::span<const std::int32_t> counts, std::span<const std::int32_t> weights) {
            GroupSums total;
            for (std::size_t g = 0; g < sums.size(); ++g) {
                const double weight = counts[g];
                total.pairs += weight * sums[g].pairs;
                total.wins += weight * sums[g].wins;
                total.ties += weight * sums[g].ties;
                total.gaps += weight * sums[g].gaps;
                total.logLoss += weight * sums[g].logLoss;
                total.loss += weight * sums[g].loss;
                total.longest += weight * sums[g].longest;
            }
            const auto mean = [&total](double sum) { return Measure::ratio(sum, total.pairs, "no pairs"); };
            statistics["pair_accuracy"].push_back(mean(total.wins));
            statistics["tie_rate"].push_back(mean(total.ties));
            statistics["margin_mean"].push_back(mean(total.gaps));
            statistics["log_loss"].push_back(mean(total.logLoss));
            statistics["loss"].push_back(mean(total.loss));
            statistics["gain_over_length"].push_back(Measure::of(
                total.wins / total.pairs - bestRuler(total.longest / total.pairs, longerIsBetter)));
            for (std::size_t i = 0; i < weights.size(); ++i)
                rewardWeights[2 * i] = rewardWeights[2 * i + 1] = weights[i];
            statistics["pooled_auroc"].push_back(ranked.auroc(rewardWeights));
        },
        options.stop);
    return statistics;
}

/// Accuracy over the pairs whose chosen side is longer (or shorter), with Wilson's interval.
Metric accuracyWhere(const PairView& view, bool chosenLonger)
{
    double wins = 0.0, pairs = 0.0;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (longestWin(view, i) == (chosenLonger ? 1.0 : 0.0)) {
            wins += pairWin(view.chosen[i], view.rejected[i]);
            pairs += 1.0;
        }
    Metric metric;
    if (const auto interval = wilson(wins, pairs)) {
        metric.value = wins / pairs;
        metric.low = interval->low;
        metric.high = interval->high;
    } else {
        metric.undefinedReason = chosenLonger ? "chosen is never longer" : "chosen is never shorter";
    }
    return metric;
}

/// |sigmoid(margin) - 1/2| as confidence, being right as outcome.
Measure pairCalibration(const PairView& view)
{
    std::vector<double> confidence, outcome;
    for (std::size_t i = 0; i < view.size(); ++i) {
        confidence.push_back(1.0 / (1.0 + std::exp(-std::abs(view.chosen[i] - view.rejected[i]))));
        outcome.push_back(pairWin(view.chosen[i], view.rejected[i]));
    }
    return calibrationError(confidence, outcome, kCalibrationBins, Binning::EqualWidth);
}

Measures pointEstimates(const PairView& view, const Rewards& rewards, double longest, bool longerIsBetter,
                        const PairReportOptions& options)
{
    Measures points;
    const auto metrics = pairMetrics(view.chosen, view.rejected);
    points["loss"] = !options.loss                  ? metrics.logLoss
                     : std::isfinite(*options.loss) ? Measure::of(*options.loss)
                                                    : Measure::undefined("non-finite loss");
    points["trivial_loss"] = Measure::of(options.trivialLoss.value_or(kLn2));
    points["skill"] = skill(points["loss"], points["trivial_loss"]);
    points["pair_accuracy"] = points["pair_accuracy_wilson"] = metrics.accuracy;
    points["group_accuracy"] = groupMeanAccuracy(view.chosen, view.rejected, view.group);
    points["tie_rate"] = metrics.tieRate;
    points["margin_mean"] = metrics.meanMargin;
    points["margin_median"] = metrics.medianMargin;
    points["margin_spread"] = metrics.rootMeanSquareMargin;
    points["log_loss"] = metrics.logLoss;
    points["pooled_auroc"] = metrics.pooledAuroc;
    points["ece"] = pairCalibration(view);
    points["length_correlation"] = spearman(rewards.values, rewards.tokens);
    points["gain_over_length"] = Measure::of(*metrics.accuracy.value - bestRuler(longest, longerIsBetter));
    points["reward_minimum"] = metrics.rewardMinimum;
    points["reward_mean"] = metrics.rewardMean;
    points["reward_maximum"] = metrics.rewardMaximum;
    points["reward_deviation"] = metrics.rewardDeviation;
    points["pairs"] = Measure::of(double(metrics.pairs));
    return points;
}

Metric titled(std::string_view id, std::string_view title, Metric metric)
{
    metric.id = id;
    metric.title = title;
    return metric;
}

std::optional<double> chanceOf(std::string_view id, double trivialLoss)
{
    if (id == "pair_accuracy" || id == "pair_accuracy_wilson" || id == "group_accuracy" ||
        id == "pooled_auroc" || id == "accuracy_chosen_longer" || id == "accuracy_chosen_shorter")
        return 0.5;
    if (id == "skill" || id == "margin_mean" || id == "length_correlation" || id == "gain_over_length")
        return 0.0;
    if (id == "loss")
        return trivialLoss;
    if (id == "log_loss")
        return kLn2;
    return std::nullopt;
}

void addUndefined(Report& report, const std::string& reason, double pairs)
{
    for (const auto& [id, title] : kTitles) {
        Metric metric;
        if (id == "pairs")
            metric.value = pairs;
        else
            metric.undefinedReason = reason;
        report.metrics.push_back(titled(id, title, std::move(metric)));
    }
}

void addMetrics(Report& report, const PairView& view, const PairReportOptions& options)
{
    double longestWins = 0.0;
    for (std::size_t i = 0; i < view.size(); ++i)
        longestWins += longestWin(view, i);
    const double longest = longestWins / double(view.size());
    const bool longerIsBetter = longest >= 0.5;
    const Rewards rewards = rewardsOf(view);
    const auto points = pointEstimates(view, rewards, longest, longerIsBetter, options);
    auto statistics = resampledStatistics(view, rewards, longerIsBetter, options);
    if (options.stop.stop_requested())
        statistics.clear();
    const auto wilsons = wilson(*points.at("pair_accuracy").value * double(view.size()), double(view.size()));
    for (const auto& [id, title] : kTitles) {
        Metric metric;
        if (id == "accuracy_chosen_longer" || id == "accuracy_chosen_shorter") {
            metric = accuracyWhere(view, id == "accuracy_chosen_longer");
        } else {
            const Measure& point = points.at(id);
            metric.value = point.value;
            metric.undefinedReason = point.reason;
            auto interval = std::optional<Interval>();
            if (const auto found = statistics.find(id); point && found != statistics.end())
                interval = percentileInterval(found->second);
            if (id == "pair_accuracy_wilson" || (id == "pair_accuracy" && !interval))
                interval = wilsons;
            if (interval) {
                metric.low = interval->low;
                metric.high = interval->high;
            }
        }
        metric.chance = chanceOf(id, options.trivialLoss.value_or(kLn2));
        report.metrics.push_back(titled(id, title, std::move(metric)));
    }
}

} // namespace

std::vector<Metric> lengthBaselines(const PairView& view)
{
    double wins = 0.0;
    for (std::size_t i = 0; i < view.size(); ++i)
        wins += longestWin(view, i);
    const double pairs = double(view.size());
    std::vector<Metric> metrics;
    const auto add = [&](std::string_view id, std::string_view title, double won) {
        Metric metric;
        metric.chance = 0.5;
        if (const auto interval = wilson(won, pairs)) {
            metric.value = won / pairs;
            metric.low = interval->low;
            metric.high = interval->high;
        } else {
            metric.undefinedReason = "no pairs";
        }
        metrics.push_back(titled(id, title, std::move(metric)));
    };
    add("baseline_accuracy_longest", "Accuracy, null: longest", wins);
    add("baseline_accuracy_shortest", "Accuracy, null: shortest", pairs - wins);
    return metrics;
}

Report pairReport(const EvaluatedSet& set, const PairReportOptions& options)
{
    const PairView view = pairView(set);
    Report report;
    // One place decides what is undefined and why.
    if (const auto accuracy = pairMetrics(view.chosen, view.rejected).accuracy; !accuracy)
        addUndefined(report, accuracy.reason, double(view.size()));
    else
        addMetrics(report, view, options);
    for (auto& metric : lengthBaselines(view))
        report.metrics.push_back(std::move(metric));
    report.curves.push_back(marginHistogram(view));
    for (auto& curve : lengthGapCurves(view))
        report.curves.push_back(std::move(curve));
    return report;
}

} // namespace assay
