#include "app/commands/commands.h"
#include "app/experiment_input.h"
#include "app/preflight_text.h"
#include "app/process/stop_signals.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "core/run/session.h"

#include <CLI/App.hpp>

namespace assay {

namespace {

class TrainCommand : public Command
{
public:
    std::string_view name() const override { return "train"; }
    std::string_view summary() const override
    {
        return "Train from an experiment file, from flags, or from both";
    }
    std::vector<std::string_view> settingGroups() const override { return allSettingGroups(); }

    void declare(CLI::App& app) override
    {
        addAllFlag(app, m_all);
        app.add_option("FILE", m_file, "Experiment file (JSON); flags come on top of it");
        app.add_option("--parent", m_parent,
                       "Run this one was cloned from: id, beginning of one, name, or last");
        app.add_flag(
            "--dry-run", m_dryRun,
            "Train nothing: check the labels, take one step on the longest micro-batch, and say what "
            "the run would need in memory and time");
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(auto config, experimentFrom(m_file, invocation));
        TRY_STATUS(requireValid(config));
        if (!m_parent.empty()) {
            TRY(config.run.parent, findRunIn(invocation.place, m_parent));
        }
        StopSignals signals;
        const auto session = Session::create(invocation.place);
        if (m_dryRun) {
            TRY(const auto preflight, session->probe(config, signals.token()));
            std::optional<StepProbe> probe;
            if (!nothingLeft(preflight)) { // without rows there is no step to take
                TRY(probe, session->measure(config, signals.token()));
            }
            return printPreflight(invocation, config, preflight, probe);
        }
        ProgressLine progress(signals);
        TRY(const auto outcome, session->train(config, progress, signals.token()));
        return printOutcome(invocation, outcome, m_all ? MetricRows::All : MetricRows::Main);
    }

private:
    std::string m_file, m_parent;
    bool m_dryRun = false, m_all = false;
};

} // namespace

std::unique_ptr<Command> makeTrainCommand()
{
    return std::make_unique<TrainCommand>();
}

} // namespace assay
