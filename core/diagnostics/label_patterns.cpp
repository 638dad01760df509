// Rules that look at how labels follow from the step's place: declared errors, conventions, position, length.
#include "core/diagnostics/equations.h"
#include "core/diagnostics/label_rules.h"
#include "core/diagnostics/labelled_steps.h"
#include "core/eval/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace assay {

namespace {

constexpr std::int64_t kFewestRowsPerConvention = 4;
constexpr std::size_t kFewestLabels = 20;
constexpr double kPredictable = 0.95;
constexpr std::int64_t kEnoughRows = 50; ///< and labels of each class: then no accident

/// 0-based first step labelled wrong, -1 = none.
int firstWrong(const StepwiseExample& row)
{
    for (std::size_t k = 0; k < row.steps.size(); ++k)
        if (row.steps[k].label.supervised && !isCorrect(row.steps[k].label.value))
            return static_cast<int>(k);
    return -1;
}

/// Steps whose own arithmetic says the opposite of their label.
std::int64_t contradictions(const StepwiseExample& row)
{
    return std::count_if(row.steps.begin(), row.steps.end(), [](const Step& step) {
        const auto holds = equationHolds(step.text);
        return step.label.supervised && holds && *holds != isCorrect(step.label.value);
    });
}

enum class Convention { None, AllWrongAfter, OnlyTheWrongStep, Other };

/// What a row with steps after its first error tells about the convention of its labels.
Convention conventionOf(const StepwiseExample& row)
{
    const int first = firstWrong(row);
    if (first < 0 || std::size_t(first) + 1 >= row.steps.size())
        return Convention::None;
    std::size_t wrong = 0, correct = 0, unlabelled = 0;
    for (std::size_t k = std::size_t(first) + 1; k < row.steps.size(); ++k) {
        const auto& label = row.steps[k].label;
        ++(!label.supervised ? unlabelled : isCorrect(label.value) ? correct : wrong);
    }
    if (unlabelled > 0)
        return correct + wrong > 0 ? Convention::Other : Convention::None;
    if (correct == 0)
        return Convention::AllWrongAfter;
    return wrong == 0 ? Convention::OnlyTheWrongStep : Convention::Other;
}

std::string sourceOf(const Example& example)
{
    for (const auto& [name, value] : example.metadata)
        if (name == "source")
            return value;
    return example.source;
}

std::string listSources(const std::map<std::string, std::int64_t>& counts)
{
    std::string text;
    for (const auto& [source, count] : counts)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", source.empty() ? "unnamed" : source, count);
    return text;
}

/// A number of every supervised step of stepwise rows, with its label.
struct StepColumn
{
    std::vector<double> value, label;
    std::int64_t rows = 0; ///< with a supervised step
    double meanOf(bool correct) const
    {
        double sum = 0.0, count = 0.0;
        for (std::size_t i = 0; i < value.size(); ++i)
            if (isCorrect(label[i]) == correct) {
                sum += value[i];
                count += 1.0;
            }
        return count > 0.0 ? sum / count : 0.0;
    }
};

template <typename Number>
StepColumn stepColumn(const Dataset& dataset, Number number)
{
    StepColumn column;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        const auto* row = example.stepwise();
        const auto before = column.value.size();
        for (std::size_t k = 0; row && k < row->steps.size(); ++k)
            if (row->steps[k].label.supervised) {
                column.value.push_back(number(row->steps[k], k));
                column.label.push_back(row->steps[k].label.value);
            }
        column.rows += column.value.size() > before ? 1 : 0;
    }
    return column;
}

/// AUROC of the column, when it is so extreme that the labels follow from it.
std::optional<double> predictableFrom(const StepColumn& column)
{
    if (column.value.size() < kFewestLabels)
        return std::nullopt;
    const Measure measure = auroc(column.value, column.label);
    if (!measure || std::abs(*measure.value - 0.5) <= kPredictable - 0.5)
        return std::nullopt;
    return measure.value;
}

/// Without a single exception over enough rows, every other number measures the ruler: nothing to train on.
Severity severityOf(const StepColumn& column, double auroc)
{
    const auto correct = std::count_if(column.label.begin(), column.label.end(), isCorrect);
    const auto wrong = static_cast<std::int64_t>(column.label.size()) - correct;
    const bool enough = std::min({column.rows, std::int64_t(correct), wrong}) >= kEnoughRows;
    return (auroc == 0.0 || auroc == 1.0) && enough ? Severity::Red : Severity::Warning;
}

} // namespace

std::optional<Finding> firstErrorRule(const Dataset& dataset, std::string_view side)
{
    std::vector<std::int64_t> rows;
    std::int64_t declared = 0, contradicted = 0;
    std::map<int, std::int64_t> shifts;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        const auto* row = example.stepwise();
        if (!row || !row->declaredFirstError)
            continue;
        const int said = *row->declaredFirstError, found = firstWrong(*row);
        contradicted += contradictions(*row);
        declared += said >= 0 ? 1 : 0;
        if (said == found)
            continue;
        rows.push_back(example.row);
        if (said >= 0 && found >= 0)
            ++shifts[found - said];
    }
    if (rows.empty())
        return std::nullopt;
    Finding finding;
    finding.id = "first-error-mismatch";
    finding.severity = Severity::Red;
    finding.title = "Labels disagree with the declared first error";
    finding.evidence = fmt::format("{} of {} rows with a declared error disagree in {} (rows {}).",
                                   rows.size(), declared, side, listRows(rows));
    if (shifts.size() == 1)
        finding.evidence +=
            fmt::format(" The first False label comes {} step{} {} in every one of them.",
                        std::abs(shifts.begin()->first), std::abs(shifts.begin()->first) == 1 ? "" : "s",
                        shifts.begin()->first > 0 ? "late" : "early");
    if (contradicted > 0)
        finding.evidence +=
            fmt::format(" {} steps contain an equation that contradicts their label.", contradicted);
    finding.cause = shifts.size() == 1
                        ? "Labels are shifted: one side counts steps from 1, or a label was dropped."
                        : "The two columns come from different annotations.";
    finding.remedy = "Decide which column is right and rebuild the other.";
    finding.rows = rows;
    finding.number = shifts.size() == 1 ? double(shifts.begin()->first) : double(rows.size());
    return finding;
}

std::optional<Finding> mixedConventionsRule(const Dataset& dataset)
{
    std::map<Convention, std::int64_t> counts;
    std::map<Convention, std::map<std::string, std::int64_t>> sources;
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        const auto convention = example.stepwise() ? conventionOf(*example.stepwise()) : Convention::None;
        ++counts[convention];
        ++sources[convention][sourceOf(example)];
        if (convention == Convention::OnlyTheWrongStep)
            rows.push_back(example.row);
    }
    const auto after = counts[Convention::AllWrongAfter], only = counts[Convention::OnlyTheWrongStep];
    if (after < kFewestRowsPerConvention || only < kFewestRowsPerConvention || counts[Convention::Other] > 0)
        return std::nullopt;
    return Finding{
        .id = "mixed-conventions",
        .severity = Severity::Warning,
        .title = "Two label conventions are mixed",
        .evidence = fmt::format("{} rows call every step after the first error wrong ({}); {} rows call only "
                                "the wrong step wrong ({}).",
                                after, listSources(sources[Convention::AllWrongAfter]), only,
                                listSources(sources[Convention::OnlyTheWrongStep])),
        .cause = "Sources with different rules were joined.",
        .remedy = "Bring them to one rule, or leave the steps after the first error without a label.",
        .rows = rows,
        .number = double(only)};
}

std::optional<Finding> positionRule(const Dataset& dataset)
{
    const auto column = stepColumn(dataset, [](const Step&, std::size_t k) { return double(k); });
    const auto raw = predictableFrom(column);
    if (!raw)
        return std::nullopt;
    return Finding{.id = "predictable-from-position",
                   .severity = severityOf(column, *raw),
                   .title = "The step number alone predicts the label",
                   .evidence = fmt::format(
                       "Ranking steps from {} gives AUROC {:.3f}; {:.1f} % of the labels are True.",
                       *raw < 0.5 ? "first to last" : "last to first", std::max(*raw, 1.0 - *raw),
                       100.0 * double(std::count_if(column.label.begin(), column.label.end(), isCorrect)) /
                           double(column.label.size())),
                   .cause = "Labels follow from the step number, for instance because every error sits late.",
                   .remedy = "A model can score well here without reading: vary where errors are.",
                   .rows = {},
                   .number = std::max(*raw, 1.0 - *raw)};
}

std::optional<Finding> lengthRule(const Dataset& dataset)
{
    const auto column =
        stepColumn(dataset, [](const Step& step, std::size_t) { return double(characterCount(step.text)); });
    const auto raw = predictableFrom(column);
    if (!raw)
        return std::nullopt;
    return Finding{
        .id = "predictable-from-length",
        .severity = severityOf(column, *raw),
        .title = "The step length alone predicts the label",
        .evidence = fmt::format("AUROC of the length is {:.3f} ({:.3f} reversed): correct steps have {:.1f} "
                                "characters on average, wrong ones {:.1f}.",
                                *raw, 1.0 - *raw, column.meanOf(true), column.meanOf(false)),
        .cause = "Correct and wrong steps come from different writers or templates.",
        .remedy = "A model can score well here without reading: make lengths alike.",
        .rows = {},
        .number = *raw};
}

} // namespace assay
