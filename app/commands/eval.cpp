#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "core/run/session.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace assay {

namespace {

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
        app.add_option("RUN", m_run, "Id, beginning of one, name, or last")->required();
        app.add_option("--checkpoint", m_checkpoint,
                       "Step of the checkpoint, as `assay show` lists it; default the newest");
        app.add_option("--data", m_data,
                       "File with the rows to score; default the run's own evaluation rows");
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(const auto run, findRunIn(invocation.place, m_run));
        const auto data = m_data.empty() ? m_data : std::filesystem::absolute(m_data).string();
        const StopSignals signals;
        const auto session = Session::create(invocation.place);
        const auto evaluation = [&] {
            ProgressLine progress;
            return session->evaluate(run, m_checkpoint, data, progress, signals.token());
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
        print(metricsText(evaluation->report));
        print(verdictText(evaluation->verdictBadge, evaluation->verdictSentence, evaluation->verdictEvidence,
                          evaluation->verdictRemedy));
        return 0;
    }

private:
    std::string m_run, m_data;
    std::int64_t m_checkpoint = 0;
};

} // namespace

std::unique_ptr<Command> makeEvalCommand()
{
    return std::make_unique<EvalCommand>();
}

} // namespace assay
