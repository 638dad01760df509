#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/process/stop_signals.h"
#include "app/progress_line.h"
#include "app/run_text.h"
#include "app/text.h"
#include "core/config/json.h"
#include "core/run/session.h"
#include "core/text/demo_experiment.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

/// A finished run of the same experiment, if the store has one.
Result<std::optional<RunDetails>> finishedRun(const StorePlace& place, const ExperimentConfig& config)
{
    std::error_code code;
    if (!std::filesystem::exists(place.database(), code))
        return std::optional<RunDetails>();
    TRY(const auto reader, RunReader::open(place));
    RunQuery query;
    query.filter = "status = finished";
    query.limit = 1000;
    TRY(const auto page, reader->runs(query));
    for (const auto& run : page.rows) {
        TRY(auto details, reader->run(run.id));
        const auto other = configFromJson(details.configJson);
        if (other.ok() && differences(*other, config).empty())
            return std::optional(std::move(details));
    }
    return std::optional<RunDetails>();
}

class DemoCommand : public Command
{
public:
    std::string_view name() const override { return "demo"; }
    std::string_view summary() const override
    {
        return "Train the built-in step model on made-up problems and show its verdict";
    }

    void declare(CLI::App& app) override
    {
        addAllFlag(app, m_all);
        app.add_flag("--again", m_again, "Train even if the store has a finished run of the same experiment");
        app.add_option("--seed", m_seed, "Seed of the generated problems")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
    }

    Result<int> run(const Invocation& invocation) override
    {
        const auto folder = invocation.place.folder / "demo" / fmt::format("seed-{}", m_seed);
        TRY(const auto config, unpackDemo(folder, m_seed));
        TRY(const auto present, finishedRun(invocation.place, config));
        if (present && !m_again) {
            printPresent(invocation, *present);
            return 0;
        }
        StopSignals signals;
        const auto session = Session::create(invocation.place);
        const auto outcome = [&] {
            ProgressLine progress(signals);
            return session->train(config, progress, signals.token());
        }();
        if (!outcome)
            return outcome.error();
        const int code = printOutcome(invocation, *outcome, m_all ? MetricRows::All : MetricRows::Main);
        printNext(invocation, outcome->run);
        return code;
    }

private:
    static void printPresent(const Invocation& invocation, const RunDetails& details)
    {
        const auto& run = details.summary;
        if (invocation.json) {
            auto json = toJson(details);
            json["already_trained"] = true;
            printJson(json);
            return;
        }
        print(fmt::format(
            "The demo is trained already: run {} of {}. `assay demo --again` trains it once more.", run.id,
            timeText(run.startedAt)));
        if (run.headline)
            print(fmt::format("{} {}", run.headline->title,
                              metricText(run.headline->value, run.headline->low, run.headline->high)));
        print(verdictText(run.verdictBadge, run.verdictSentence, run.verdictEvidence, run.verdictRemedy));
        printNext(invocation, run.id);
    }

    static void printNext(const Invocation& invocation, const RunId& run)
    {
        if (invocation.json)
            return;
        const auto store = std::filesystem::absolute(invocation.place.folder).string();
        print(fmt::format("Store: {}\n"
                          "Next:  assay gui --store {}        look at its curves and single steps\n"
                          "       assay show {} --store {}    the same in the terminal",
                          store, store, run, store));
    }

    bool m_again = false;
    std::uint64_t m_seed = 0;
    bool m_all = false;
};

} // namespace

std::unique_ptr<Command> makeDemoCommand()
{
    return std::make_unique<DemoCommand>();
}

} // namespace assay
