#include "core/diagnostics/label_checks.h"

#include "core/base/check.h"
#include "core/diagnostics/label_rules.h"
#include "core/diagnostics/pairs/pair_checks.h"
#include "core/diagnostics/prompt_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay {

namespace {

constexpr double kRedLeak = 0.5; ///< an evaluation of which half is known measures nothing

void add(Report& report, std::optional<Finding> finding)
{
    if (finding)
        report.findings.push_back(std::move(*finding));
}

/// Rules about the form of labels and rows; they hold for both sides.
void addFormFindings(Report& report, const Dataset& dataset, const LabelCensus& census,
                     std::span<const LaidOut> rows, const LabelCheckInput& input, std::string_view side)
{
    for (auto& finding : problemFindings(dataset.problems(), input.skipBadRows, side))
        report.findings.push_back(std::move(finding));
    const auto perStep = supervisedPerStepRule(census, side);
    add(report, perStep);
    if (!perStep)
        add(report, offSeparatorRule(dataset, input.separatorIds, side));
    add(report, nothingSupervisedRule(census, side));
    add(report, outOfRangeRule(dataset, side));
    add(report, emptyStepRule(dataset, side));
    add(report, separatorInsideRule(dataset, input.stepSeparator, side));
    add(report, firstErrorRule(dataset, side));
    add(report, truncationRule(dataset, census, rows, side));
}

std::string listPairs(const std::vector<PromptPair>& pairs)
{
    constexpr std::size_t kListed = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(pairs.size(), kListed); ++i)
        text += fmt::format("{}{} and {}", i ? ", " : "", pairs[i].evaluationRow + 1, pairs[i].trainRow + 1);
    return pairs.size() > kListed ? text + ", ..." : text;
}

std::vector<std::int64_t> evaluationRows(const std::vector<PromptPair>& pairs)
{
    std::vector<std::int64_t> rows;
    for (const auto& pair : pairs)
        rows.push_back(pair.evaluationRow);
    return rows;
}

std::string templateText(std::int64_t runs)
{
    if (runs == 0)
        return {};
    return fmt::format("; {} run{} that a quarter of the training prompts or more have left out", runs,
                       runs == 1 ? "" : "s");
}

void addOverlapFindings(Report& report, const PromptOverlap& overlap)
{
    if (!overlap.equal.empty()) {
        const auto rows = evaluationRows(overlap.equal);
        report.findings.push_back(
            {.id = "prompt-leak",
             .severity = overlap.leakedShare() >= kRedLeak ? Severity::Red : Severity::Warning,
             .title = "Evaluation prompts stand in training",
             .evidence = fmt::format(
                 "{} of {} evaluation rows ({:.1f} %) have a prompt that stands in training; rows {}.",
                 rows.size(), overlap.evaluationRows, 100.0 * overlap.leakedShare(), listRows(rows)),
             .cause = "The files were split by row, not by prompt.",
             .remedy = "Split by prompt, or remove these rows from one side.",
             .rows = rows,
             .number = overlap.leakedShare()});
    }
    if (!overlap.nearDuplicates.empty())
        report.findings.push_back(
            {.id = "near-duplicate-prompt",
             .severity = Severity::Warning,
             .title = "Evaluation prompts nearly equal training prompts",
             .evidence = fmt::format(
                 "{} of {} evaluation rows have a prompt that shares at least 80 % of its three-word runs "
                 "with a training prompt (case and punctuation aside{}); evaluation and training rows {}.",
                 overlap.nearDuplicates.size(), overlap.evaluationRows, templateText(overlap.templateRuns),
                 listPairs(overlap.nearDuplicates)),
             .cause = "One problem with small changes stands on both sides.",
             .remedy = "Put variants of one problem on the same side.",
             .rows = evaluationRows(overlap.nearDuplicates),
             .number = double(overlap.nearDuplicates.size())});
}

Table censusTable(const LabelChecks& checks, bool hasEvaluation)
{
    Table table{"label_census", "Labels", {"", "train"}, {}};
    if (hasEvaluation)
        table.columns.emplace_back("evaluation");
    const auto row = [&](const char* name, auto text) {
        std::vector<std::string> cells{name, text(checks.train)};
        if (hasEvaluation)
            cells.push_back(text(checks.evaluation));
        table.rows.push_back(std::move(cells));
    };
    row("rows", [](const LabelCensus& c) { return std::to_string(c.rows); });
    row("steps", [](const LabelCensus& c) { return std::to_string(c.steps); });
    row("supervised positions", [](const LabelCensus& c) { return std::to_string(c.supervised); });
    row("supervised per step",
        [](const LabelCensus& c) { return fmt::format("{:.3f}", c.supervisedPerStep()); });
    row("labelled correct", [](const LabelCensus& c) { return std::to_string(c.correct); });
    row("labelled wrong", [](const LabelCensus& c) { return std::to_string(c.wrong); });
    row("without a label", [](const LabelCensus& c) { return std::to_string(c.ignored); });
    row("share correct", [](const LabelCensus& c) { return fmt::format("{:.3f}", c.shareTrue()); });
    return table;
}

/// Mean label by step number, as a table and as a curve (x from 1).
void addBaseRateByPosition(Report& report, const Dataset& train)
{
    std::map<std::size_t, std::pair<double, std::int64_t>> at;
    for (std::int64_t i = 0; i < train.size(); ++i) {
        const Example example = train.at(i);
        const auto* row = example.stepwise();
        for (std::size_t k = 0; row && k < row->steps.size(); ++k)
            if (row->steps[k].label.supervised) {
                at[k].first += row->steps[k].label.value;
                ++at[k].second;
            }
    }
    if (at.empty())
        return;
    Table table{"base_rate_by_position", "Base rate by step", {"step", "labels", "mean label"}, {}};
    Curve curve{"base_rate_by_position", "base rate", {}, {}};
    for (const auto& [position, counts] : at) {
        const double rate = counts.first / double(counts.second);
        table.rows.push_back(
            {std::to_string(position + 1), std::to_string(counts.second), fmt::format("{:.3f}", rate)});
        curve.x.push_back(double(position + 1));
        curve.y.push_back(rate);
    }
    report.tables.push_back(std::move(table));
    report.curves.push_back(std::move(curve));
}

/// The gravest first.
void sortFindings(Report& report)
{
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

bool ignoreValuesFound(const Report& report)
{
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [](const Finding& finding) { return finding.id == "ignore-values-as-labels"; });
}

void addOverlap(LabelChecks& checks, const LabelCheckInput& input, const std::stop_token& stop)
{
    if (!input.train || !input.evaluation || stop.stop_requested())
        return;
    const auto overlap = promptOverlap(*input.train, *input.evaluation, stop);
    addOverlapFindings(checks.report, overlap);
    checks.leakedShare = overlap.leakedShare();
}

/// Findings about the training side alone.
void checkTraining(LabelChecks& checks, const LabelCheckInput& input)
{
    auto& report = checks.report;
    checks.train = takeCensus(*input.train, input.trainRows, input.separatorIds);
    addFormFindings(report, *input.train, checks.train, input.trainRows, input, "training");
    add(report, oneClassRule(*input.train, checks.train));
    add(report, mixedConventionsRule(*input.train));
    add(report, positionRule(*input.train));
    add(report, lengthRule(*input.train));
}

/// The checks of pairs, with those that do not depend on what a row holds.
LabelChecks checkPreferences(const LabelCheckInput& input, const std::stop_token& stop)
{
    LabelChecks checks;
    checks.report = checkPairs(input);
    auto& report = checks.report;
    const auto addProblems = [&](std::span<const RowProblem> problems, std::string_view side) {
        for (auto& finding : problemFindings(problems, input.skipBadRows, side))
            report.findings.push_back(std::move(finding));
    };
    addProblems(input.refusedRows, "the data");
    if (input.train)
        addProblems(input.train->problems(), "training");
    if (input.evaluation)
        addProblems(input.evaluation->problems(), "evaluation");
    addOverlap(checks, input, stop);
    sortFindings(report);
    return checks;
}

} // namespace

LabelChecks checkLabels(const LabelCheckInput& input, const std::stop_token& stop)
{
    CHECK(input.train || input.evaluation, "label checks need a side");
    if (holdsPreferences(input.train ? *input.train : *input.evaluation))
        return checkPreferences(input, stop);
    LabelChecks checks;
    auto& report = checks.report;
    for (auto& finding : problemFindings(input.refusedRows, input.skipBadRows, "the data"))
        report.findings.push_back(std::move(finding));
    if (input.train)
        checkTraining(checks, input);
    if (input.evaluation && !stop.stop_requested()) {
        checks.evaluation = takeCensus(*input.evaluation, input.evaluationRows, input.separatorIds);
        addFormFindings(report, *input.evaluation, checks.evaluation, input.evaluationRows, input,
                        "evaluation");
        add(report, tooFewNegativesRule(checks.evaluation));
        addOverlap(checks, input, stop);
    }
    add(report, baseRateNote(checks.train));
    checks.supervisedPerStep =
        std::max({1.0, checks.train.supervisedPerStep(), checks.evaluation.supervisedPerStep()});
    checks.ignoreValuesAsLabels = ignoreValuesFound(report);
    sortFindings(report);
    report.tables.push_back(censusTable(checks, input.evaluation != nullptr));
    if (input.train)
        addBaseRateByPosition(report, *input.train);
    return checks;
}

} // namespace assay
