#include "app/preflight_text.h"

#include "app/exit_codes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"

#include <fmt/format.h>

namespace assay {

namespace {

Json knownBytes(std::int64_t bytes)
{
    return bytes > 0 ? Json(bytes) : Json(nullptr);
}

Json toJson(const StepProbe& probe)
{
    return {{"device", probe.device},
            {"dtype", probe.dtype},
            {"parameters", probe.parameters},
            {"trained_parameters", probe.trainedParameters},
            {"memory",
             {{"weights_bytes", probe.weightBytes},
              {"gradients_bytes", probe.gradientBytes},
              {"optimiser_bytes", probe.optimiserBytes},
              {"activations_bytes", probe.activationBytes},
              {"peak_bytes", probe.peakBytes},
              {"available_bytes", knownBytes(probe.availableBytes)},
              {"total_bytes", knownBytes(probe.totalBytes)},
              {"fits", probe.fits()},
              {"longest_examples", probe.worstExamples},
              {"longest_tokens", probe.worstTokens},
              {"largest_examples", knownBytes(probe.largestExamples)}}},
            {"time",
             {{"step_seconds", probe.stepSeconds},
              {"timed_steps", probe.timedSteps},
              {"planned_steps", probe.plannedSteps},
              {"evaluation_seconds", probe.evaluationSeconds},
              {"planned_evaluations", probe.plannedEvaluations},
              {"total_seconds", probe.totalSeconds}}},
            {"method", probe.method}};
}

/// A table of the report as the terminal shows it.
std::string reportTableText(const Report& report, std::string_view id)
{
    for (const auto& table : report.tables) {
        if (table.id != id || table.rows.empty())
            continue;
        TextTable text;
        for (const auto& column : table.columns)
            text.columns.push_back({column, text.columns.empty() ? TextAlign::Left : TextAlign::Right});
        text.rows = table.rows;
        return table.title + "\n" + text.text();
    }
    return {};
}

std::string passedText(const Report& report)
{
    std::string text;
    for (const auto& table : report.tables)
        if (table.id == "checks_passed")
            for (const auto& row : table.rows)
                text += fmt::format("Passed: {}: {}\n", row.at(1), row.at(2));
    return text;
}

std::string probeText(const StepProbe& probe)
{
    TextTable table;
    table.columns = {{"memory and time"}, {"", TextAlign::Right}};
    const auto row = [&table](std::string name, std::string value) {
        table.rows.push_back({std::move(name), std::move(value)});
    };
    row("device", fmt::format("{}, {}", probe.device, probe.dtype));
    row("parameters", fmt::format("{}, {} trained", probe.parameters, probe.trainedParameters));
    row("weights", bytesText(probe.weightBytes));
    row("gradients", bytesText(probe.gradientBytes));
    row("optimiser", bytesText(probe.optimiserBytes));
    row("activations", bytesText(probe.activationBytes));
    row("peak", probe.availableBytes > 0 ? fmt::format("{} of {} free", bytesText(probe.peakBytes),
                                                       bytesText(probe.availableBytes))
                                         : bytesText(probe.peakBytes));
    if (probe.largestExamples > 0)
        row("largest micro-batch that fits", fmt::format("about {} examples", probe.largestExamples));
    row("steps", fmt::format("{} at {}", probe.plannedSteps, durationText(probe.stepSeconds)));
    row("evaluations",
        fmt::format("{} at {}", probe.plannedEvaluations, durationText(probe.evaluationSeconds)));
    row("whole run", durationText(probe.totalSeconds));
    return table.text() + wrapped(plainText(probe.method), 100, "  ");
}

} // namespace

bool nothingLeft(const Preflight& preflight)
{
    return preflight.trainExamples == 0 || preflight.evaluationExamples == 0;
}

int printPreflight(const Invocation& invocation, const ExperimentConfig& config, const Preflight& preflight,
                   const std::optional<StepProbe>& probe)
{
    const bool blocked = nothingLeft(preflight) || (preflight.blocked() && config.run.overrideReason.empty());
    if (invocation.json) {
        printJson({{"blocked", blocked},
                   {"train_examples", preflight.trainExamples},
                   {"train_rows", preflight.trainRows},
                   {"train_tokens", preflight.trainTokens},
                   {"evaluation_examples", preflight.evaluationExamples},
                   {"planned_steps", preflight.plannedSteps},
                   {"report", assay::toJson(preflight.report)},
                   {"probe", probe ? toJson(*probe) : Json()}});
    } else {
        print(findingsText(preflight.report));
        print(passedText(preflight.report) + "\n");
        for (const auto* id : {"label_census", "truncation", "base_rate_by_position"})
            if (const auto text = reportTableText(preflight.report, id); !text.empty())
                print(text + "\n");
        if (probe)
            print(probeText(*probe));
        if (nothingLeft(preflight))
            print("The start is blocked: no row has a label left. No reason overrides this.\n");
        else if (blocked)
            print("The start is blocked: mend the data, or give --run.override_reason.\n");
    }
    return blocked ? exitCodeOf(ErrorCode::Blocked) : 0;
}

} // namespace assay
