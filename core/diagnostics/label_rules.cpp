#include "core/diagnostics/label_rules.h"

#include "core/base/check.h"
#include "core/eval/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace assay {

namespace {

constexpr std::size_t kListedRows = 10;
constexpr std::int64_t kFewestNegatives = 20;

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r\n\f\v");
    if (first == std::string::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n\f\v") - first + 1);
}

void forEachStepwise(const Dataset& dataset,
                     const std::function<void(const Example&, const StepwiseExample&)>& use)
{
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        if (const auto* row = example.stepwise())
            use(example, *row);
    }
}

/// Steps that some test picks out, as people count them: "row 3 step 2; row 9 step 1".
struct PickedSteps
{
    std::vector<std::int64_t> rows;
    std::string text;
    std::size_t count = 0;

    void add(std::int64_t row, std::size_t step, const std::string& detail = {})
    {
        if (count < kListedRows)
            text += fmt::format("{}row {} step {}{}", count ? "; " : "", row + 1, step + 1, detail);
        else if (count == kListedRows)
            text += "; ...";
        if (rows.empty() || rows.back() != row)
            rows.push_back(row);
        ++count;
    }
};

} // namespace

std::string listRows(std::span<const std::int64_t> rows)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), kListedRows); ++i)
        text += fmt::format("{}{}", i ? ", " : "", rows[i] + 1);
    if (rows.size() > kListedRows)
        text += fmt::format(" and {} more", rows.size() - kListedRows);
    return text;
}

std::optional<Finding> supervisedPerStepRule(const LabelCensus& census, std::string_view side)
{
    if (census.supervised <= census.steps)
        return std::nullopt;
    const bool nothingIgnored = census.ignored == 0;
    Finding finding;
    finding.id = nothingIgnored ? "ignore-values-as-labels" : "more-than-one-label-per-step";
    finding.severity = Severity::Red;
    finding.title = nothingIgnored ? "Ignore values have become labels" : "More than one label per step";
    finding.evidence =
        fmt::format("{:.1f} supervised positions per step in {}: {} positions for {} steps, {} ignored. "
                    "Share of True {:.2f} %.",
                    census.supervisedPerStep(), side, census.supervised, census.steps, census.ignored,
                    100.0 * census.shareTrue());
    finding.cause =
        nothingIgnored
            ? "The value that means \"no label\" (-100) was cast to a truth value, so that every token is "
              "labelled True."
            : "Tokens of a step carry labels besides its end, or a layout reads a step twice.";
    finding.remedy = "Label one position per step, its separator, and set -100 everywhere else.";
    finding.number = census.supervisedPerStep();
    return finding;
}

std::optional<Finding> nothingSupervisedRule(const LabelCensus& census, std::string_view side)
{
    if (census.rows == 0 || census.supervised > 0)
        return std::nullopt;
    return Finding{.id = "nothing-supervised",
                   .severity = Severity::Red,
                   .title = fmt::format("Nothing in {} is labelled", side),
                   .evidence = fmt::format("{} rows, {} steps, no label.", census.rows, census.steps),
                   .cause = "Every label is an ignore value, or the label column is another one.",
                   .remedy = "Check which column holds the labels.",
                   .rows = {},
                   .number = 0.0};
}

std::optional<Finding> oneClassRule(const Dataset& dataset, const LabelCensus& census)
{
    if (census.supervised == 0)
        return std::nullopt;
    // Soft labels on one side of 0.5 can still be learned; labels that are all equal cannot.
    std::optional<float> only;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const auto differs = [&](const Label& label) {
            return label.supervised && *(only = only.value_or(label.value)) != label.value;
        };
        const Example example = dataset.at(i);
        if (const auto* row = example.stepwise())
            if (std::any_of(row->steps.begin(), row->steps.end(),
                            [&](const Step& s) { return differs(s.label); }))
                return std::nullopt;
        if (const auto* row = example.tokenised())
            if (std::any_of(row->labels.begin(), row->labels.end(), differs))
                return std::nullopt;
    }
    return Finding{.id = "one-class-only",
                   .severity = Severity::Red,
                   .title = "All labels are the same: only one class",
                   .evidence = fmt::format("{} labels, share of True {:.1f} %.", census.supervised,
                                           100.0 * census.shareTrue()),
                   .cause = "A filter or a cast removed the other class.",
                   .remedy = "Nothing can be learned or measured from one class: check the label column.",
                   .rows = {},
                   .number = census.shareTrue()};
}

std::optional<Finding> offSeparatorRule(const Dataset& dataset, std::span<const std::int32_t> separatorIds,
                                        std::string_view side)
{
    if (separatorIds.empty())
        return std::nullopt;
    std::vector<std::int64_t> rows;
    std::int64_t off = 0, supervised = 0;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        const auto* row = example.tokenised();
        const std::int64_t before = off;
        for (std::size_t k = 0; row && k < std::min(row->labels.size(), row->ids.size()); ++k) {
            if (!row->labels[k].supervised)
                continue;
            ++supervised;
            off += std::find(separatorIds.begin(), separatorIds.end(), row->ids[k]) == separatorIds.end() ? 1
                                                                                                          : 0;
        }
        if (off > before)
            rows.push_back(dataset.key(i).row);
    }
    if (off == 0)
        return std::nullopt;
    return Finding{.id = "supervised-off-separator",
                   .severity = Severity::Warning,
                   .title = "Labels stand on tokens that end no step",
                   .evidence = fmt::format("{} of {} labels in {} are not on a separator; rows {}.", off,
                                           supervised, side, listRows(rows)),
                   .cause = "The rows were tokenised with another separator, or the labels are shifted.",
                   .remedy = "Set the step separator that the rows were made with.",
                   .rows = rows,
                   .number = double(off)};
}

std::optional<Finding> outOfRangeRule(const Dataset& dataset, std::string_view side)
{
    PickedSteps picked;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        const auto check = [&](const Label& label, std::size_t step) {
            if (label.supervised && !(label.value >= 0.0F && label.value <= 1.0F))
                picked.add(example.row, step, fmt::format(" value {}", label.value));
        };
        if (const auto* row = example.stepwise())
            for (std::size_t k = 0; k < row->steps.size(); ++k)
                check(row->steps[k].label, k);
        if (const auto* row = example.tokenised())
            for (std::size_t k = 0; k < row->labels.size(); ++k)
                check(row->labels[k], k);
    }
    if (picked.count == 0)
        return std::nullopt;
    return Finding{.id = "label-out-of-range",
                   .severity = Severity::Red,
                   .title = "Labels outside [0, 1]",
                   .evidence = fmt::format("In {}: {}.", side, picked.text),
                   .cause = "The column holds scores, not probabilities, or an ignore value of its own.",
                   .remedy = "Map the values to [0, 1].",
                   .rows = picked.rows,
                   .number = double(picked.count)};
}

std::optional<Finding> emptyStepRule(const Dataset& dataset, std::string_view side)
{
    PickedSteps picked;
    forEachStepwise(dataset, [&](const Example& example, const StepwiseExample& row) {
        for (std::size_t k = 0; k < row.steps.size(); ++k)
            if (trimmed(row.steps[k].text).empty())
                picked.add(example.row, k);
    });
    if (picked.count == 0)
        return std::nullopt;
    return Finding{.id = "empty-step",
                   .severity = Severity::Red,
                   .title = "Empty steps",
                   .evidence = fmt::format("In {}: {}.", side, picked.text),
                   .cause = "Solutions were split at blank lines or double separators.",
                   .remedy = "Remove the empty steps together with their labels.",
                   .rows = picked.rows,
                   .number = double(picked.count)};
}

std::optional<Finding> separatorInsideRule(const Dataset& dataset, const std::string& separator,
                                           std::string_view side)
{
    PickedSteps picked;
    if (separator.empty())
        return std::nullopt;
    forEachStepwise(dataset, [&](const Example& example, const StepwiseExample& row) {
        for (std::size_t k = 0; k < row.steps.size(); ++k)
            if (row.steps[k].text.find(separator) != std::string::npos)
                picked.add(example.row, k);
    });
    if (picked.count == 0)
        return std::nullopt;
    return Finding{
        .id = "separator-inside-step",
        .severity = Severity::Warning,
        .title = "Steps contain the separator",
        .evidence = fmt::format("{} steps in {}: {}.", picked.count, side, picked.text),
        .cause = "A step of several lines looks like several steps, of which only the last is labelled.",
        .remedy = "Choose a separator that no step contains, or split these steps.",
        .rows = picked.rows,
        .number = double(picked.count)};
}

std::optional<Finding> truncationRule(const Dataset& dataset, const LabelCensus& census,
                                      std::span<const LaidOut> rows, std::string_view side)
{
    std::int64_t lostCorrect = 0, lostWrong = 0, dropped = 0;
    std::vector<std::int64_t> cutRows;
    CHECK(rows.empty() || rows.size() == std::size_t(dataset.size()), "laid-out rows of another data set");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& cut = rows[i].cut;
        lostCorrect += cut.labelsCorrect;
        lostWrong += cut.labelsWrong;
        dropped += cut.dropped ? 1 : 0;
        if (cut.dropped || cut.readOuts > 0)
            cutRows.push_back(dataset.key(static_cast<std::int64_t>(i)).row);
    }
    if (cutRows.empty())
        return std::nullopt;
    const auto share = [](std::int64_t part, std::int64_t whole) {
        return whole > 0 ? 100.0 * double(part) / double(whole) : 0.0;
    };
    const double wrong = share(lostWrong, census.wrong), correct = share(lostCorrect, census.correct);
    Finding finding;
    finding.id = "truncation-loss";
    finding.severity = wrong >= 5.0 && wrong > correct ? Severity::Warning : Severity::Note;
    finding.title = "Truncation loses labels";
    if (lostCorrect + lostWrong > 0 && lostCorrect + lostWrong >= census.correct + census.wrong) {
        finding.severity = Severity::Red;
        finding.title = fmt::format("Truncation loses every label of {}", side);
    }
    finding.evidence = fmt::format(
        "{} rows of {} are cut ({} dropped): {} of {} wrong steps ({:.1f} %) and {} of {} "
        "correct ones ({:.1f} %) are lost.",
        cutRows.size(), side, dropped, lostWrong, census.wrong, wrong, lostCorrect, census.correct, correct);
    finding.cause =
        "Rows are longer than the limit. Where data stop at the first error, the end is the wrong step.";
    finding.remedy = "Raise the maximum length, or cut the prompt from the left.";
    finding.rows = std::move(cutRows);
    finding.number = wrong;
    return finding;
}

std::optional<Finding> tooFewNegativesRule(const LabelCensus& evaluation)
{
    if (evaluation.supervised == 0 || evaluation.wrong >= kFewestNegatives)
        return std::nullopt;
    return Finding{.id = "too-few-negatives",
                   .severity = Severity::Warning,
                   .title = "Too few wrong steps to evaluate on",
                   .evidence =
                       fmt::format("{} of {} evaluation steps are wrong; below {} no verdict is possible.",
                                   evaluation.wrong, evaluation.supervised, kFewestNegatives),
                   .cause = "The evaluation split is small, or mistakes are rare.",
                   .remedy = "Evaluate on more problems.",
                   .rows = {},
                   .number = double(evaluation.wrong)};
}

std::optional<Finding> baseRateNote(const LabelCensus& train)
{
    if (train.supervised == 0)
        return std::nullopt;
    const double share = train.shareTrue(), constant = std::max(share, 1.0 - share);
    return Finding{
        .id = "base-rate",
        .severity = Severity::Note,
        .title = fmt::format("{:.1f} % of the labels are correct", 100.0 * share),
        .evidence = fmt::format("Always {} alone reaches accuracy {:.3f}.", share >= 0.5 ? "True" : "False",
                                constant),
        .cause = {},
        .remedy = "Read accuracy only beside this number; balanced accuracy and AUROC do not profit from it.",
        .rows = {},
        .number = share};
}

} // namespace assay
