#include "app/run_text.h"

#include "app/exit_codes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/text.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

namespace {

/// The numbers that decide what one thinks of a model, the most telling first.
constexpr std::string_view kMainOfSteps[] = {"auroc", "balanced_accuracy", "accuracy",      "base_rate",
                                             "mcc",   "auprc_negative",    "first_error_f1"};
constexpr std::string_view kMainOfPairs[] = {"pair_accuracy", "baseline_accuracy_longest",
                                             "baseline_accuracy_shortest", "tie_rate", "margin_mean"};
constexpr std::string_view kRulerOfSteps = "baseline_auroc_"; ///< beginning of the ids

/// The main metrics in the order of the lists, and for steps the ruler that ranks best without a model.
std::vector<const Metric*> mainMetrics(const Report& report)
{
    const bool pairs = report.metric("pair_accuracy") != nullptr;
    std::vector<const Metric*> found;
    for (const auto id : pairs ? std::span<const std::string_view>(kMainOfPairs) : kMainOfSteps)
        if (const auto* metric = report.metric(id))
            found.push_back(metric);
    const Metric* ruler = nullptr;
    for (const auto& metric : report.metrics)
        if (!pairs && metric.id.starts_with(kRulerOfSteps) && metric.value &&
            (!ruler || *metric.value > *ruler->value))
            ruler = &metric;
    if (ruler)
        found.push_back(ruler);
    return found;
}

} // namespace

std::string verdictText(const std::string& badge, const std::string& sentence, const std::string& evidence,
                        const std::string& remedy)
{
    if (badge.empty())
        return {};
    std::string text = fmt::format("Verdict: {}\n", badge);
    for (const auto& part : {sentence, evidence, remedy})
        if (!part.empty())
            text += wrapped(settingsAsFlags(plainText(part)), 100, "  ");
    return text;
}

std::string metricsText(const Report& report, MetricRows rows)
{
    TextTable table;
    table.columns = {
        {"metric"}, {"value", TextAlign::Right}, {"95 % interval"}, {"chance", TextAlign::Right}, {""}};
    std::vector<const Metric*> shown = mainMetrics(report);
    // A report without any of them, of an older version perhaps, is shown whole.
    if (rows == MetricRows::All || shown.empty()) {
        shown.clear();
        for (const auto& metric : report.metrics)
            shown.push_back(&metric);
    }
    for (const auto* metric : shown) {
        const bool interval = metric->low && metric->high;
        table.rows.push_back(
            {metric->title.empty() ? metric->id : metric->title, metricText(metric->value),
             interval ? fmt::format("[{:.3f}, {:.3f}]", *metric->low, *metric->high) : std::string(),
             metric->chance ? metricText(metric->chance) : std::string(), metric->undefinedReason});
    }
    const auto left = report.metrics.size() - shown.size();
    return table.text() + (left > 0 ? fmt::format("{} more with --all\n", left) : std::string());
}

std::string findingsText(const Report& report)
{
    std::string text;
    for (const auto& finding : report.findings) {
        if (finding.severity == Severity::Note)
            continue;
        text += fmt::format("{}: {}\n", finding.severity == Severity::Red ? "RED" : "Warning",
                            plainText(finding.title));
        for (const auto& part : {finding.evidence, finding.cause, finding.remedy})
            if (!part.empty())
                text += wrapped(settingsAsFlags(plainText(part)), 100, "  ");
    }
    return text;
}

std::string ledgerText(const Ledger& ledger)
{
    std::map<std::string, int> counts;
    TextTable table;
    table.columns = {{"tensor"}, {"action"}, {"detail"}};
    for (const auto& entry : ledger) {
        ++counts[entry.action];
        table.rows.push_back({plainText(entry.tensor), entry.action, plainText(entry.detail)});
    }
    std::string text = table.text();
    for (const auto& [action, count] : counts)
        text += fmt::format("{}{} tensors {}", text.ends_with('\n') ? "" : "\n", count, action);
    return text;
}

void addAllFlag(CLI::App& app, bool& all)
{
    app.add_flag("--all", all, "Show every metric, not only the main ones");
}

int printOutcome(const Invocation& invocation, const RunOutcome& outcome, MetricRows rows)
{
    if (invocation.json) {
        printJson(toJson(outcome));
    } else {
        print(fmt::format("\nRun {}: {} at step {} after {}", outcome.run, runStatusId(outcome.status),
                          outcome.step, durationText(outcome.seconds)));
        const auto& verdict = outcome.verdict;
        if (const auto text =
                verdictText(verdict.badge(), verdict.sentence, verdict.evidence, verdict.remedy);
            !text.empty())
            print(text);
        if (outcome.lastEvaluation)
            print(metricsText(outcome.lastEvaluation->report, rows));
        if (outcome.status == RunStatus::Stopped)
            print(fmt::format("Continue with: assay resume {}", outcome.run));
    }
    return outcome.status == RunStatus::Stopped ? exitCodeOf(ErrorCode::Cancelled) : 0;
}

void markInterrupted(const StorePlace& place)
{
    std::error_code code;
    if (!std::filesystem::exists(place.database(), code))
        return;
    if (auto editor = RunEditor::open(place))
        (void)(*editor)->sweepInterrupted();
}

Result<RunId> findRunIn(const StorePlace& place, const std::string& text)
{
    TRY(const auto reader, RunReader::open(place));
    return reader->findRun(text);
}

} // namespace assay
