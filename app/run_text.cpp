#include "app/run_text.h"

#include "app/exit_codes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/text.h"

#include <fmt/format.h>

#include <filesystem>

namespace assay {

std::string verdictText(const std::string& badge, const std::string& sentence, const std::string& evidence,
                        const std::string& remedy)
{
    if (badge.empty())
        return {};
    std::string text = fmt::format("Verdict: {}\n", badge);
    for (const auto& part : {sentence, evidence, remedy})
        if (!part.empty())
            text += wrapped(plainText(part), 100, "  ");
    return text;
}

std::string metricsText(const Report& report)
{
    TextTable table;
    table.columns = {
        {"metric"}, {"value", TextAlign::Right}, {"95 % interval"}, {"chance", TextAlign::Right}, {""}};
    for (const auto& metric : report.metrics) {
        const bool interval = metric.low && metric.high;
        table.rows.push_back(
            {metric.title.empty() ? metric.id : metric.title, metricText(metric.value),
             interval ? fmt::format("[{:.3f}, {:.3f}]", *metric.low, *metric.high) : std::string(),
             metric.chance ? metricText(metric.chance) : std::string(), metric.undefinedReason});
    }
    return table.text();
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
                text += wrapped(plainText(part), 100, "  ");
    }
    return text;
}

int printOutcome(const Invocation& invocation, const RunOutcome& outcome)
{
    if (invocation.json) {
        printJson(toJson(outcome));
    } else {
        print(fmt::format("\nRun {}: {} at step {} after {}", outcome.run, runStatusId(outcome.status),
                          outcome.step, durationText(outcome.seconds)));
        if (outcome.lastEvaluation)
            print(metricsText(outcome.lastEvaluation->report));
        const auto& verdict = outcome.verdict;
        if (const auto text =
                verdictText(verdict.badge(), verdict.sentence, verdict.evidence, verdict.remedy);
            !text.empty())
            print(text);
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
