// Findings about rows that the format refused.
#include "core/diagnostics/label_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace assay {

namespace {

constexpr std::size_t kListedValues = 20;

struct ProblemKind
{
    std::string_view kind, title, cause, remedy;
};

constexpr std::array<ProblemKind, 6> kKinds{{
    {"label-count-mismatch", "Steps and labels differ in number", "A label or a step was lost on the way.",
     "Mend these rows; a shifted label is worse than a missing row."},
    {"labels-are-text", "Labels are text",
     "A cast by truth value would make every text that is not empty True, \"false\" and \"0\" included.",
     "Map the texts to true and false in the file."},
    {"label-out-of-range", "Labels outside [0, 1]", "The column holds scores, not probabilities.",
     "Map the values to [0, 1]."},
    {"empty-step", "Empty steps", "Solutions were split at blank lines or double separators.",
     "Remove the empty steps together with their labels."},
    {"layout-refused", "Rows that the layout refuses",
     "The layout cannot make tokens and read-outs of these rows without changing what they say.",
     "Mend them, choose another layout, or set data.bad_rows to skip."},
    {"rows-refused", "Rows that cannot be read", "The rows break the rules of the format.",
     "Mend them, or set data.bad_rows to skip."},
}};

std::string describe(std::string_view kind, const RowProblem& problem)
{
    if (kind == "label-count-mismatch" && problem.steps >= 0)
        return fmt::format("row {}: {} steps, {} labels", problem.row + 1, problem.steps, problem.labels);
    if (kind == "empty-step" && problem.step >= 0)
        return fmt::format("row {} step {}", problem.row + 1, problem.step + 1);
    if (kind == "label-out-of-range" && problem.step >= 0)
        return fmt::format("row {} step {} value {}", problem.row + 1, problem.step + 1,
                           problem.values.empty() ? "?" : problem.values.front());
    return fmt::format("row {}: {}", problem.row + 1, problem.message);
}

/// "- 4, 0 8, false 9": what stands in the label column, with counts.
std::string valueCounts(const std::vector<const RowProblem*>& problems)
{
    std::map<std::string, std::int64_t> counts;
    for (const auto* problem : problems)
        for (const auto& value : problem->values)
            ++counts[value];
    std::string text;
    std::size_t listed = 0;
    for (const auto& [value, count] : counts) {
        if (listed++ == kListedValues)
            return text + ", ...";
        text += fmt::format("{}\"{}\" {} times", text.empty() ? "" : ", ", value, count);
    }
    return text;
}

Finding findingOf(const ProblemKind& kind, const std::vector<const RowProblem*>& problems, bool skipBadRows,
                  std::string_view side)
{
    constexpr std::size_t kListed = 10;
    Finding finding;
    finding.id = kind.kind;
    finding.severity = skipBadRows ? Severity::Warning : Severity::Red;
    finding.title = kind.title;
    finding.cause = kind.cause;
    finding.remedy = kind.remedy;
    std::string list;
    for (const auto* problem : problems) {
        if (finding.rows.empty() || finding.rows.back() != problem->row)
            finding.rows.push_back(problem->row);
        if (finding.rows.size() <= kListed)
            list += (list.empty() ? "" : "; ") + describe(kind.kind, *problem);
    }
    const std::string values = kind.kind == "labels-are-text" ? valueCounts(problems) : std::string();
    finding.evidence = values.empty() ? fmt::format("{} rows of {}: {}.", finding.rows.size(), side, list)
                                      : fmt::format("{} rows of {} have labels that are text: {}.",
                                                    finding.rows.size(), side, values);
    finding.number = double(finding.rows.size());
    return finding;
}

} // namespace

std::vector<Finding> problemFindings(std::span<const RowProblem> problems, bool skipBadRows,
                                     std::string_view side)
{
    std::vector<Finding> findings;
    for (const auto& kind : kKinds) {
        const bool last = &kind == &kKinds.back();
        std::vector<const RowProblem*> ofKind;
        for (const auto& problem : problems) {
            const bool known = std::any_of(kKinds.begin(), kKinds.end() - 1,
                                           [&](const ProblemKind& k) { return k.kind == problem.kind; });
            if (last ? !known : problem.kind == kind.kind)
                ofKind.push_back(&problem);
        }
        if (!ofKind.empty())
            findings.push_back(findingOf(kind, ofKind, skipBadRows, side));
    }
    return findings;
}

} // namespace assay
