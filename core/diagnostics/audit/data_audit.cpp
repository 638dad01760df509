#include "core/diagnostics/audit/data_audit.h"

#include "core/base/check.h"
#include "core/diagnostics/audit/duplicates.h"
#include "core/diagnostics/audit/row_lengths.h"
#include "core/diagnostics/audit/token_loss.h"
#include "core/diagnostics/pairs/pair_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

namespace {

constexpr double kConflictWarning = 0.01; ///< share of labels that contradict another of the same step
constexpr std::int64_t kJoinRows = 1000;
constexpr std::int64_t kDecodedRows = 1000;

double percent(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

bool hasFinding(const Report& report, std::initializer_list<std::string_view> ids)
{
    return std::any_of(report.findings.begin(), report.findings.end(), [&ids](const Finding& finding) {
        return std::find(ids.begin(), ids.end(), finding.id) != ids.end();
    });
}

void pass(Table& passed, std::string id, std::string title, std::string evidence)
{
    passed.rows.push_back({std::move(id), std::move(title), std::move(evidence)});
}

void auditDuplicates(Report& report, Table& passed, const Dataset& train, const std::stop_token& stop)
{
    const auto count = countDuplicates(train, stop);
    if (count.labelled == 0)
        return;
    const auto evidence =
        count.repeated == 0
            ? std::string("No labelled training step repeats.")
            : fmt::format(
                  "{:.1f} % of labelled training steps repeat; {} of {} repeat with a different label.",
                  100.0 * count.repeatedShare(), count.conflicting, count.labelled);
    if (count.conflictingShare() < kConflictWarning) {
        pass(passed, "duplicate-labels", "Duplicates", evidence);
        return;
    }
    report.findings.push_back(
        {.id = "duplicate-labels",
         .severity = Severity::Warning,
         .title = "Equal steps with different labels",
         .evidence = evidence,
         .cause = "Several raters or samplers labelled the same text.",
         .remedy = "Merge them to soft labels, or keep one; no model can get below this noise.",
         .rows = count.rows,
         .number = count.conflictingShare()});
}

Table truncationTable(const TruncationCount& train, const std::optional<TruncationCount>& evaluation,
                      const std::optional<std::int64_t>& limit)
{
    Table table{"truncation", "What the limit costs", {"", "train"}, {}};
    if (evaluation)
        table.columns.emplace_back("evaluation");
    const auto row = [&](const char* name, auto text) {
        std::vector<std::string> cells{name, text(train)};
        if (evaluation)
            cells.push_back(text(*evaluation));
        table.rows.push_back(std::move(cells));
    };
    row("limit, tokens", [&](const auto&) { return limit ? std::to_string(*limit) : std::string("none"); });
    row("rows", [](const auto& c) { return std::to_string(c.rows); });
    row("rows cut", [](const auto& c) { return std::to_string(c.cutRows); });
    row("rows dropped", [](const auto& c) { return std::to_string(c.droppedRows); });
    row("longest row, tokens", [](const auto& c) { return std::to_string(c.longest); });
    if (train.correct + train.wrong == 0)
        return table;
    row("correct labels lost", [](const auto& c) { return std::to_string(c.correctLost); });
    row("wrong labels lost", [](const auto& c) { return std::to_string(c.wrongLost); });
    row("correct labels lost, %",
        [](const auto& c) { return fmt::format("{:.1f}", percent(c.correctLost, c.correct)); });
    row("wrong labels lost, %",
        [](const auto& c) { return fmt::format("{:.1f}", percent(c.wrongLost, c.wrong)); });
    return table;
}

void auditLengths(Report& report, Table& passed, const DataAuditInput& input)
{
    const auto train = countTruncation(*input.train, input.trainRows);
    std::optional<TruncationCount> evaluation;
    if (input.evaluation)
        evaluation = countTruncation(*input.evaluation, input.evaluationRows);
    const auto longest = std::max(train.longest, evaluation ? evaluation->longest : 0);
    report.curves.push_back(tokensPerRow(input.trainRows));
    report.tables.push_back(truncationTable(train, evaluation, input.maximumTokens));
    report.metrics.push_back({"longest_row_tokens",
                              "Longest row",
                              static_cast<double>(longest),
                              std::nullopt,
                              std::nullopt,
                              std::nullopt,
                              {}});
    if (train.cutRows == 0 && (!evaluation || evaluation->cutRows == 0))
        pass(passed, "truncation-loss", "Truncation",
             fmt::format("No row is cut or dropped; the longest has {} tokens.", longest));
}

/// A backbone computes positions that it has never seen, but what comes out means nothing.
void auditPositions(Report& report, const DataAuditInput& input)
{
    if (input.maximumPositions <= 0)
        return;
    auto rows = rowsBeyond(*input.train, input.trainRows, input.maximumPositions);
    const auto inTraining = rows.size();
    if (input.evaluation)
        for (const auto row : rowsBeyond(*input.evaluation, input.evaluationRows, input.maximumPositions))
            rows.push_back(row);
    if (rows.empty())
        return;
    const auto count = rows.size();
    report.findings.push_back(
        {.id = "longer-than-positions",
         .severity = Severity::Warning,
         .title = "Rows are longer than the backbone's positions",
         .evidence = fmt::format("{} rows of training and {} of evaluation have more tokens than the {} "
                                 "positions that the backbone was made for.",
                                 inTraining, count - inTraining, input.maximumPositions),
         .cause = "The limit of the layout is higher than that of the backbone, or there is none.",
         .remedy = fmt::format("Set layout.maximum_tokens to {} or less.", input.maximumPositions),
         .rows = std::move(rows),
         .number = static_cast<double>(count)});
}

void auditJoins(Report& report, Table& passed, const DataAuditInput& input)
{
    if (!input.tokenizer)
        return;
    const auto joins = countJoins(*input.train, *input.tokenizer, input.stepSeparator, kJoinRows);
    if (joins.steps == 0)
        return;
    if (joins.different == 0) {
        pass(passed, "separator-joins-differently", "Tokens",
             fmt::format("Every step and separator gives the same ids alone and joined ({} rows tried).",
                         joins.rows));
        return;
    }
    report.findings.push_back(
        {.id = "separator-joins-differently",
         .severity = Severity::Note,
         .title = "Steps and separator join differently",
         .evidence =
             fmt::format("{} of {} steps ({:.1f} %, {} rows tried) get other ids when step and "
                         "separator are tokenised as one text.",
                         joins.different, joins.steps, percent(joins.different, joins.steps), joins.rows),
         .cause = "The tokenizer sees the beginning of a text, or merges over the border.",
         .remedy = "Harmless here, where training, evaluation and scoring use the ids of the layout; another "
                   "program must tokenise them apart as well.",
         .rows = {},
         .number = percent(joins.different, joins.steps) / 100.0});
}

void auditTokenLoss(Report& report, Table& passed, const DataAuditInput& input, const std::stop_token& stop)
{
    if (!input.tokenizer)
        return;
    const auto loss = countTokenLoss(*input.train, input.trainRows, *input.tokenizer, kDecodedRows, stop);
    if (loss.rows == 0 && loss.tokens == 0)
        return;
    if (auto finding = tokenLossRule(loss)) {
        report.findings.push_back(std::move(*finding));
        return;
    }
    pass(passed, "tokenizer-loses-text", "Tokenizer",
         fmt::format("{} of {} tokens are unknown; {} of {} letters and digits are lost ({} rows tried).",
                     loss.unknownTokens, loss.tokens, loss.lostCharacters, loss.characters, loss.rows));
}

/// A misspelt name of a special token would only show as a layout that lacks it.
void auditSpecialTokens(Report& report, const DataAuditInput& input)
{
    if (!input.tokenizer || input.tokenizer->missingSpecialTokens().empty())
        return;
    std::string list;
    for (const auto& name : input.tokenizer->missingSpecialTokens())
        list += (list.empty() ? "" : ", ") + name;
    report.findings.push_back(
        {.id = "special-token-missing",
         .severity = Severity::Warning,
         .title = "A special token is not in the vocabulary",
         .evidence = "The settings beside the tokenizer name " + list +
                     ", and the vocabulary has no such token; there is none in its place.",
         .cause = "The settings belong to another vocabulary, or a token was to be added to the model later.",
         .remedy = "Name tokens of the vocabulary in tokenizer_config.json, or remove the entries.",
         .rows = {},
         .number = static_cast<double>(input.tokenizer->missingSpecialTokens().size())});
}

void passLabels(const Report& report, Table& passed, const DataAuditInput& input)
{
    if (!holdsPreferences(*input.train) &&
        !hasFinding(report, {"label-out-of-range", "ignore-values-as-labels", "more-than-one-label-per-step",
                             "nothing-supervised", "labels-are-text", "supervised-off-separator"})) {
        std::int64_t labels = 0, soft = 0;
        for (const auto& row : input.trainRows)
            for (std::size_t s = 0; s < row.targets.mask.size(); ++s) {
                if (row.targets.mask[s] == 0)
                    continue;
                ++labels;
                soft += row.targets.value[s] != 0.0F && row.targets.value[s] != 1.0F ? 1 : 0;
            }
        pass(passed, "label-values", "Label values",
             soft == 0 ? fmt::format("All {} labels are 0 or 1; no other position is supervised.", labels)
                       : fmt::format("All {} labels are in [0, 1], {} of them soft; no other position is "
                                     "supervised.",
                                     labels, soft));
    }
    if (input.evaluation && !hasFinding(report, {"prompt-leak", "near-duplicate-prompt"}))
        pass(passed, "prompt-leak", "Leakage", "No evaluation prompt stands in training, nor a near copy.");
}

} // namespace

JoinCount countJoins(const Dataset& dataset, const Tokenizer& tokenizer, const std::string& separator,
                     std::int64_t maximumRows)
{
    JoinCount count;
    const auto end = tokenizer.encode(separator);
    for (std::int64_t i = 0; i < dataset.size() && count.rows < maximumRows; ++i) {
        const Example example = dataset.at(i);
        const auto* row = example.stepwise();
        if (!row)
            continue;
        ++count.rows;
        for (const auto& step : row->steps) {
            auto apart = tokenizer.encode(step.text);
            apart.insert(apart.end(), end.begin(), end.end());
            ++count.steps;
            count.different += apart == tokenizer.encode(step.text + separator) ? 0 : 1;
        }
    }
    return count;
}

void auditData(Report& report, const DataAuditInput& input, const std::stop_token& stop)
{
    CHECK(input.train != nullptr, "the audit needs a training side");
    Table passed{"checks_passed", "Passed", {"id", "check", "evidence"}, {}};
    passLabels(report, passed, input);
    auditLengths(report, passed, input);
    auditPositions(report, input);
    auditDuplicates(report, passed, *input.train, stop);
    auditSpecialTokens(report, input);
    if (!stop.stop_requested()) {
        auditJoins(report, passed, input);
        auditTokenLoss(report, passed, input, stop);
    }
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    report.tables.push_back(std::move(passed));
}

} // namespace assay
