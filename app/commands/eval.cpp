#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/process/stop_signals.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "app/text.h"
#include "core/run/session.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace assay {

namespace {

/// Whether the run has a checkpoint of that step. Errors: NotFound listing the steps that there are.
Status requireCheckpoint(const RunReader& reader, const RunId& run, std::int64_t step)
{
    TRY(const auto checkpoints, reader.checkpoints(run));
    std::vector<std::int64_t> steps;
    for (const auto& checkpoint : checkpoints)
        steps.push_back(checkpoint.step);
    if (std::find(steps.begin(), steps.end(), step) != steps.end())
        return {};
    return Error{ErrorCode::NotFound, fmt::format("the run has no checkpoint of step {}", step), run,
                 steps.empty() ? "It has none yet"
                               : fmt::format("It has checkpoints of step {}", fmt::join(steps, ", "))};
}

class EvalCommand : public Command
{
public:
    std::string_view name() const override { return "eval"; }
    std::string_view summary() const override
    {
        return "Evaluate a checkpoint of a run and store the predictions with it";
    }

    void declare(CLI::App& app) override
    {
        addAllFlag(app, m_all);
        app.add_option("RUN", m_run, "Id, beginning of one, name, or last")->required();
        app.add_option("--checkpoint", m_checkpoint,
                       "Step of the checkpoint, as `assay show` lists it; default the newest")
            ->check(CLI::NonNegativeNumber);
        app.add_option("--data", m_data,
                       "File with the rows to score; default the run's own evaluation rows");
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(const auto run, findRunIn(invocation.place, m_run));
        if (m_checkpoint) {
            TRY(const auto reader, RunReader::open(invocation.place));
            TRY_STATUS(requireCheckpoint(*reader, run, *m_checkpoint));
        }
        const auto data = m_data.empty() ? m_data : std::filesystem::absolute(m_data).string();
        StopSignals signals;
        const auto session = Session::create(invocation.place);
        const auto evaluation = [&] {
            ProgressLine progress(signals);
            return session->evaluate(run, m_checkpoint.value_or(0), data, progress, signals.token());
        }();
        if (!evaluation)
            return evaluation.error();
        if (invocation.json) {
            auto json = toJson(*evaluation);
            json["run"] = run;
            printJson(json);
            return 0;
        }
        print(fmt::format("Evaluation {} of run {} at step {}: {} examples, {} {}, {}", evaluation->id, run,
                          evaluation->step, evaluation->examples, evaluation->readOuts,
                          evaluation->report.metric("pair_accuracy") ? "pairs" : "read-outs",
                          durationText(evaluation->seconds)));
        print(verdictText(evaluation->verdictBadge, evaluation->verdictSentence, evaluation->verdictEvidence,
                          evaluation->verdictRemedy));
        print(metricsText(evaluation->report, m_all ? MetricRows::All : MetricRows::Main));
        return 0;
    }

private:
    std::string m_run, m_data;
    std::optional<std::int64_t> m_checkpoint;
    bool m_all = false;
};

} // namespace

std::unique_ptr<Command> makeEvalCommand()
{
    return std::make_unique<EvalCommand>();
}

} // namespace assay
