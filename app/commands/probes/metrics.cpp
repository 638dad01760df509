#include "app/commands/probes/probes.h"
#include "app/lines/json_lines.h"
#include "core/eval/calibration.h"
#include "core/eval/first_error.h"
#include "core/eval/pairs/pair_metrics.h"
#include "core/eval/step_metrics.h"
#include "core/eval/step_view.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <map>

namespace assay {

namespace {

constexpr const char* kNoGroups = "no groups are given";

Json measureJson(const Measure& measure)
{
    if (measure && std::isfinite(*measure.value))
        return {{"value", *measure.value}};
    return {{"value", nullptr}, {"reason", measure ? "not finite" : measure.reason}};
}

/// Step predictions as columns; a null label is a step that nobody supervises.
struct StepColumns
{
    std::vector<double> scores, labels;
    std::vector<std::uint8_t> supervised;
    std::vector<std::int32_t> group; ///< in order of first appearance; empty = none given
    std::int32_t groups = 0;
};

Result<std::vector<std::int32_t>> groupNumbers(const Json& list)
{
    if (!list.is_array())
        return Error{ErrorCode::BadData, "groups is no list"};
    std::map<std::string, std::int32_t> numbers;
    std::vector<std::int32_t> groups;
    for (const auto& name : list) {
        if (!name.is_string() && !name.is_number())
            return Error{ErrorCode::BadData, fmt::format("groups[{}] is no text or number", groups.size())};
        groups.push_back(
            numbers.emplace(name.dump(), static_cast<std::int32_t>(numbers.size())).first->second);
    }
    return groups;
}

Result<StepColumns> stepColumns(const Json& line)
{
    StepColumns columns;
    TRY(columns.scores, numbersAt(line, "scores"));
    Json labels = line.value("labels", Json::array());
    columns.supervised.assign(labels.size(), 1);
    for (std::size_t i = 0; labels.is_array() && i < labels.size(); ++i)
        if (labels[i].is_null()) {
            columns.supervised[i] = 0;
            labels[i] = 0.0;
        }
    TRY(columns.labels, numbersOf(labels, "labels"));
    if (columns.labels.size() != columns.scores.size())
        return Error{ErrorCode::BadData,
                     fmt::format("{} scores and {} labels", columns.scores.size(), columns.labels.size())};
    for (std::size_t i = 0; i < columns.labels.size(); ++i)
        if (!(columns.labels[i] >= 0.0 && columns.labels[i] <= 1.0))
            return Error{ErrorCode::BadData,
                         fmt::format("labels[{}] is {}, outside [0, 1]", i, columns.labels[i])};
    if (!line.contains("groups"))
        return columns;
    TRY(columns.group, groupNumbers(line["groups"]));
    if (columns.group.size() != columns.scores.size())
        return Error{ErrorCode::BadData,
                     fmt::format("{} scores and {} groups", columns.scores.size(), columns.group.size())};
    for (const auto group : columns.group)
        columns.groups = std::max(columns.groups, group + 1);
    return columns;
}

/// The supervised steps, those of one solution together, and the solutions.
StepView viewOf(const StepColumns& columns)
{
    StepView view;
    view.groups = columns.groups;
    const auto add = [&](std::size_t i, std::int32_t group) {
        view.scores.push_back(columns.scores[i]);
        view.labels.push_back(columns.labels[i]);
        view.example.push_back(group);
    };
    std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(columns.groups));
    for (std::size_t i = 0; i < columns.scores.size(); ++i) {
        if (!columns.group.empty())
            members[static_cast<std::size_t>(columns.group[i])].push_back(i);
        else if (columns.supervised[i])
            add(i, 0);
    }
    for (std::size_t g = 0; g < members.size(); ++g) {
        ScoredSolution solution;
        bool supervised = false;
        for (const auto i : members[g]) {
            if (columns.supervised[i]) {
                supervised = true;
                if (columns.labels[i] < 0.5 && solution.firstError < 0)
                    solution.firstError = static_cast<std::int32_t>(solution.scores.size());
                add(i, static_cast<std::int32_t>(g));
            }
            solution.scores.push_back(columns.scores[i]);
        }
        if (supervised)
            view.solutions.push_back(std::move(solution));
    }
    return view;
}

Json firstErrorJson(const FirstErrorMetrics& all)
{
    return {{"first_error_f1", measureJson(all.f1)},
            {"first_error_accuracy_wrong", measureJson(all.accuracyWrong)},
            {"first_error_accuracy_correct", measureJson(all.accuracyCorrect)},
            {"first_error_exact_match", measureJson(all.exactMatch)},
            {"first_error_mean_signed_distance", measureJson(all.meanSignedDistance)},
            {"first_error_within_one", measureJson(all.withinOne)}};
}

FirstErrorMetrics withoutGroups()
{
    FirstErrorMetrics none;
    for (auto* measure : {&none.f1, &none.accuracyWrong, &none.accuracyCorrect, &none.exactMatch,
                          &none.meanSignedDistance, &none.withinOne})
        *measure = Measure::undefined(kNoGroups);
    return none;
}

/// Metrics of one threshold and one ranking; ids as in reports where a report has them.
Json stepMetricsJson(const StepView& view, double threshold, ThresholdRule rule, bool grouped)
{
    const auto all = stepMetrics(view.scores, view.labels, threshold, rule);
    const auto& counts = all.confusion;
    const auto reason = nonFiniteReason(view.scores);
    const auto ofCounts = [&](const Measure& measure) {
        return measureJson(reason.empty() ? measure : Measure::undefined(reason));
    };
    const auto calibration = [&](int bins, Binning binning) {
        return measureJson(calibrationError(view.scores, view.labels, bins, binning));
    };
    Json json = {{"base_rate", measureJson(all.baseRate)},
                 {"predicted_positive_rate", measureJson(all.predictedPositiveRate)},
                 {"accuracy", measureJson(all.accuracy)},
                 {"balanced_accuracy", measureJson(all.balancedAccuracy)},
                 {"mcc", measureJson(all.mcc)},
                 {"true_positive_rate", measureJson(all.truePositiveRate)},
                 {"true_negative_rate", measureJson(all.trueNegativeRate)},
                 {"precision_positive", ofCounts(counts.precision(true))},
                 {"precision_negative", ofCounts(counts.precision(false))},
                 {"f1_positive", ofCounts(counts.f1(true))},
                 {"f1_negative", ofCounts(counts.f1(false))},
                 {"auroc", measureJson(all.auroc)},
                 {"auprc_positive", measureJson(all.averagePrecisionCorrect)},
                 {"auprc_negative", measureJson(all.averagePrecisionWrong)},
                 {"share_negative", measureJson(all.shareWrong)},
                 {"tie_rate", measureJson(all.tieRate)},
                 {"within_solution_auroc",
                  measureJson(grouped ? withinSolutionAuroc(view) : Measure::undefined(kNoGroups))},
                 {"brier", measureJson(all.brier)},
                 {"log_loss", measureJson(all.logLoss)},
                 {"log_loss_clipped", measureJson(all.logLossClipped)},
                 {"trivial_loss", measureJson(all.trivialLoss)},
                 {"skill", measureJson(skill(all.logLoss, all.trivialLoss))},
                 {"mean_entropy", measureJson(all.meanEntropy)},
                 {"score_variance", measureJson(all.variance)},
                 {"ece_width10", calibration(10, Binning::EqualWidth)},
                 {"ece_width15", calibration(15, Binning::EqualWidth)},
                 {"ece_mass10", calibration(10, Binning::EqualMass)},
                 {"ece_mass15", calibration(15, Binning::EqualMass)},
                 {"mce_width15", measureJson(maximumCalibrationError(view.scores, view.labels, 15))}};
    json.update(firstErrorJson(grouped ? firstErrorMetrics(view.solutions, threshold) : withoutGroups()));
    return json;
}

Result<ThresholdRule> tieRule(const Json& line)
{
    const auto found = line.find("tie_rule");
    if (found == line.end() || *found == "below-is-wrong")
        return ThresholdRule::BelowIsWrong;
    if (*found == "above-is-correct")
        return ThresholdRule::AboveIsCorrect;
    return Error{ErrorCode::BadData, "tie_rule is neither below-is-wrong nor above-is-correct"};
}

Result<Json> answerSteps(const Json& line)
{
    TRY_STATUS(onlyKeys(line, {"id", "kind", "scores", "labels", "groups", "threshold", "tie_rule"}));
    TRY(const auto columns, stepColumns(line));
    TRY(const auto threshold, numberAt(line, "threshold", 0.5));
    TRY(const auto rule, tieRule(line));
    const auto view = viewOf(columns);
    const auto counts = confusion(view.scores, view.labels, threshold, rule);
    const bool finite = nonFiniteReason(view.scores).empty();
    Json json = {{"kind", "steps"},
                 {"n", view.scores.size()},
                 {"unsupervised", columns.scores.size() - view.scores.size()},
                 {"positives", counts.positives()},
                 {"negatives", counts.negatives()},
                 {"groups", columns.group.empty() ? Json(nullptr) : Json(columns.groups)},
                 {"threshold", threshold},
                 {"tie_rule", rule == ThresholdRule::BelowIsWrong ? "below-is-wrong" : "above-is-correct"}};
    json["confusion"] = finite ? Json({{"true_positive", counts.truePositive},
                                       {"true_negative", counts.trueNegative},
                                       {"false_positive", counts.falsePositive},
                                       {"false_negative", counts.falseNegative}})
                               : Json(nullptr);
    json["metrics"] = stepMetricsJson(view, threshold, rule, !columns.group.empty());
    return json;
}

/// Solutions whose first wrong step is declared, not labelled step by step.
Result<Json> answerSolutions(const Json& line)
{
    TRY_STATUS(onlyKeys(line, {"id", "kind", "solutions", "threshold"}));
    TRY(const auto threshold, numberAt(line, "threshold", 0.5));
    const Json list = line.value("solutions", Json());
    if (!list.is_array())
        return Error{ErrorCode::BadData, "solutions is missing or no list"};
    std::vector<ScoredSolution> solutions;
    Json predicted = Json::array();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto where = fmt::format("solutions[{}]", i);
        if (!list[i].is_object() || !list[i].contains("scores") || !list[i].contains("first_error"))
            return Error{ErrorCode::BadData, "has no scores or no first_error", where};
        const auto& first = list[i]["first_error"];
        if (!first.is_null() && (!first.is_number_integer() || first.get<std::int64_t>() < -1))
            return Error{ErrorCode::BadData, "first_error is no step number (0-based, -1 = none wrong)",
                         where};
        ScoredSolution solution;
        solution.firstError = first.is_null() ? -1 : first.get<std::int32_t>();
        TRY(solution.scores, numbersOf(list[i]["scores"], where + ".scores"));
        predicted.push_back(predictedFirstError(solution.scores, threshold));
        solutions.push_back(std::move(solution));
    }
    const auto all = firstErrorMetrics(solutions, threshold);
    Json json = {{"kind", "solutions"},    {"n", solutions.size()},  {"erroneous", all.erroneous},
                 {"correct", all.correct}, {"threshold", threshold}, {"predicted", std::move(predicted)}};
    json["metrics"] = firstErrorJson(all);
    return json;
}

/// Rewards of preference pairs; ids as in reports where a report has them.
Result<Json> answerPairs(const Json& line)
{
    TRY_STATUS(onlyKeys(line, {"id", "kind", "chosen", "rejected", "groups"}));
    TRY(const auto chosen, numbersAt(line, "chosen"));
    TRY(const auto rejected, numbersAt(line, "rejected"));
    if (chosen.size() != rejected.size())
        return Error{ErrorCode::BadData,
                     fmt::format("{} chosen and {} rejected rewards", chosen.size(), rejected.size())};
    std::vector<std::int32_t> groups;
    if (line.contains("groups")) {
        TRY(groups, groupNumbers(line["groups"]));
        if (groups.size() != chosen.size())
            return Error{ErrorCode::BadData,
                         fmt::format("{} pairs and {} groups", chosen.size(), groups.size())};
    }
    const auto all = pairMetrics(chosen, rejected);
    const auto grouped =
        line.contains("groups") ? groupMeanAccuracy(chosen, rejected, groups) : Measure::undefined(kNoGroups);
    Json json = {{"kind", "pairs"}, {"n", all.pairs}, {"ties", all.ties}};
    json["metrics"] = {{"pair_accuracy", measureJson(all.accuracy)},
                       {"accuracy_strict", measureJson(all.accuracyStrict)},
                       {"accuracy_ties_excluded", measureJson(all.accuracyTiesExcluded)},
                       {"group_accuracy", measureJson(grouped)},
                       {"tie_rate", measureJson(all.tieRate)},
                       {"margin_mean", measureJson(all.meanMargin)},
                       {"margin_median", measureJson(all.medianMargin)},
                       {"margin_spread", measureJson(all.rootMeanSquareMargin)},
                       {"log_loss", measureJson(all.logLoss)},
                       {"pooled_auroc", measureJson(all.pooledAuroc)},
                       {"reward_minimum", measureJson(all.rewardMinimum)},
                       {"reward_mean", measureJson(all.rewardMean)},
                       {"reward_maximum", measureJson(all.rewardMaximum)},
                       {"reward_deviation", measureJson(all.rewardDeviation)}};
    return json;
}

class MetricsCommand : public Command
{
public:
    std::string_view name() const override { return "metrics"; }
    std::string_view summary() const override
    {
        return "Every metric of scores and labels from standard input, or null and its reason; one JSON "
               "object "
               "per line";
    }

    void declare(CLI::App&) override {}

    Result<int> run(const Invocation&) override
    {
        return answerJsonLines(std::cin, [](const Json& line) -> Result<Json> {
            TRY(auto result, answer(line));
            if (!line.contains("id"))
                return result;
            Json json = {{"id", line["id"]}};
            json.update(result);
            return json;
        });
    }

private:
    static Result<Json> answer(const Json& line)
    {
        const char* likely = line.contains("solutions") ? "solutions"
                             : line.contains("chosen")  ? "pairs"
                                                        : "steps";
        const Json kind = line.value("kind", Json(likely));
        if (kind == "steps")
            return answerSteps(line);
        if (kind == "solutions")
            return answerSolutions(line);
        if (kind == "pairs")
            return answerPairs(line);
        return Error{ErrorCode::BadData,
                     fmt::format("there is no kind {}", kind.dump()),
                     {},
                     "Known kinds: steps, solutions, pairs"};
    }
};

} // namespace

std::unique_ptr<Command> makeMetricsCommand()
{
    return std::make_unique<MetricsCommand>();
}

} // namespace assay
