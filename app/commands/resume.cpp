#include "app/commands/commands.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "app/stop_signals.h"
#include "core/run/session.h"

#include <CLI/App.hpp>

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
        app.add_option("RUN", m_run, "Id, beginning of one, name, or last")->required();
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(const auto run, findRunIn(invocation.place, m_run));
        const StopSignals signals;
        const auto session = Session::create(invocation.place);
        ProgressLine progress;
        TRY(const auto outcome, session->resume(run, progress, signals.token()));
        return printOutcome(invocation, outcome);
    }

private:
    std::string m_run;
};

} // namespace

std::unique_ptr<Command> makeResumeCommand()
{
    return std::make_unique<ResumeCommand>();
}

} // namespace assay
