#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/process/stop_signals.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "core/run/session.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

class ResumeCommand : public Command
{
public:
    std::string_view name() const override { return "resume"; }
    std::string_view summary() const override
    {
        return "Continue a stopped, interrupted or failed run from its newest checkpoint";
    }

    void declare(CLI::App& app) override
    {
        addAllFlag(app, m_all);
        app.add_option("RUN", m_run, "Id, beginning of one, name, or last")->required();
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(const auto run, findRunIn(invocation.place, m_run));
        TRY(const auto reader, RunReader::open(invocation.place));
        TRY(const auto details, reader->run(run));
        if (details.summary.status == RunStatus::Finished) {
            printFinished(invocation, details);
            return 0;
        }
        StopSignals signals;
        const auto session = Session::create(invocation.place);
        ProgressLine progress(signals);
        TRY(const auto outcome, session->resume(run, progress, signals.token()));
        return printOutcome(invocation, outcome, m_all ? MetricRows::All : MetricRows::Main);
    }

private:
    /// What was asked for is already so: no error.
    static void printFinished(const Invocation& invocation, const RunDetails& details)
    {
        const auto& run = details.summary;
        if (invocation.json) {
            auto json = toJson(details);
            json["already_finished"] = true;
            printJson(json);
            return;
        }
        print(fmt::format(
            "Run {} is finished, at step {} of {}: nothing to do. To train longer, clone it in the "
            "window or train its settings again with more --schedule.epochs and --parent {}.",
            run.id, run.step, run.plannedSteps, run.id));
    }

    std::string m_run;
    bool m_all = false;
};

} // namespace

std::unique_ptr<Command> makeResumeCommand()
{
    return std::make_unique<ResumeCommand>();
}

} // namespace assay
