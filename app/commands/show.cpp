#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/run/training/run_ledger.h"
#include "core/store/checkpoint_list.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::int64_t kEventsShown = 20;
constexpr std::int64_t kEventsSearched = 10000; ///< for why a run ended early; evaluations may have followed

/// Everything `show` prints, read from the store at once.
struct RunView
{
    RunDetails details;
    std::vector<EvaluationRecord> evaluations;
    CheckpointList checkpoints;
    std::vector<EventRecord> events;
    std::string early; ///< why it ended before the last step; empty = it did not
};

Result<RunView> readRun(const RunReader& reader, const std::string& text)
{
    RunView view;
    TRY(const auto id, reader.findRun(text));
    TRY(view.details, reader.run(id));
    TRY(view.evaluations, reader.evaluations(id));
    TRY(auto checkpoints, reader.checkpoints(id));
    for (auto& checkpoint : checkpoints)
        checkpoint.path = (reader.place().artefacts() / checkpoint.path).string();
    const auto config = configFromJson(view.details.configJson);
    view.checkpoints =
        listCheckpoints(checkpoints, config ? config->checkpoint : CheckpointConfig{}, view.evaluations);
    TRY(auto events, reader.events(id, kEventsSearched));
    for (const auto& event : events)
        if (event.kind == "stopped-early" && view.early.empty())
            view.early = event.text;
    if (std::ssize(events) > kEventsShown)
        events.resize(kEventsShown);
    view.events = std::move(events);
    return view;
}

void printHeader(const RunDetails& details, const std::string& early)
{
    const auto& run = details.summary;
    TextTable table;
    table.columns = {{"run"}, {run.id}};
    const auto row = [&table](std::string name, std::string value) {
        if (!value.empty())
            table.rows.push_back({std::move(name), plainText(value)});
    };
    row("name", run.name);
    row("status", fmt::format("{}, step {} of {}", runStatusId(run.status), run.step, run.plannedSteps));
    row("early", early);
    row("error", run.errorText);
    row("backbone", run.backbone);
    row("data", fmt::format("{} ({} training, {} evaluation examples)", run.data, details.trainExamples,
                            details.evaluationExamples));
    // The description names the threads of the processor already.
    const auto description =
        details.deviceDescription.empty() ? std::string() : ": " + details.deviceDescription;
    row("device", fmt::format("{}{}, {}", run.device, description, details.dtype));
    row("started", timeText(run.startedAt));
    row("duration", durationText(run.seconds));
    row("tags", fmt::format("{}", fmt::join(run.tags, ", ")));
    row("note", run.note);
    row("cloned from", run.parent);
    row("build", details.buildId);
    row("weights", details.weightsHash);
    row("tokenizer", details.tokenizerHash);
    row("split", details.splitHash);
    print(table.text());
    print(verdictText(run.verdictBadge, run.verdictSentence, run.verdictEvidence, run.verdictRemedy));
}

void printEvaluations(const std::vector<EvaluationRecord>& evaluations, MetricRows rows)
{
    if (evaluations.empty())
        return;
    TextTable table;
    const bool pairs = evaluations.back().report.metric("pair_accuracy") != nullptr;
    table.columns = {{"evaluation", TextAlign::Right},
                     {"step", TextAlign::Right},
                     {"loss", TextAlign::Right},
                     {pairs ? "pair accuracy" : "AUROC"},
                     {pairs ? "tie rate" : "balanced accuracy"},
                     {pairs ? "longest answer" : "accuracy"},
                     {"verdict"}};
    const auto cell = [](const EvaluationRecord& record, std::string_view id) {
        const auto* metric = record.report.metric(id);
        return metric ? metricText(metric->value, metric->low, metric->high) : std::string("-");
    };
    for (const auto& record : evaluations)
        table.rows.push_back({std::to_string(record.id), std::to_string(record.step), metricText(record.loss),
                              cell(record, pairs ? "pair_accuracy" : "auroc"),
                              cell(record, pairs ? "tie_rate" : "balanced_accuracy"),
                              cell(record, pairs ? "baseline_accuracy_longest" : "accuracy"),
                              record.verdictBadge.empty() ? "-" : record.verdictBadge});
    print(table.text());
    print("Last evaluation");
    print(metricsText(evaluations.back().report, rows));
}

std::string marksText(const ListedCheckpoint& row)
{
    std::vector<std::string_view> marks;
    if (row.best)
        marks.push_back("best");
    if (row.newest)
        marks.push_back("newest");
    if (row.record.final)
        marks.push_back("final");
    return fmt::format("{}", fmt::join(marks, ", "));
}

void printCheckpoints(const CheckpointList& list)
{
    if (list.rows.empty())
        return;
    TextTable table;
    table.columns = {{"checkpoint of step", TextAlign::Right},
                     {"size", TextAlign::Right},
                     {list.metricTitle.empty() ? "metric" : list.metricTitle, TextAlign::Right},
                     {"marks"},
                     {"saved"},
                     {"path"}};
    for (const auto& row : list.rows)
        table.rows.push_back({std::to_string(row.record.step), bytesText(row.record.bytes),
                              row.value ? metricText(row.value) : std::string("-"), marksText(row),
                              timeText(row.record.at), row.record.path});
    print(table.text());
}

void printSettings(const std::string& configJson)
{
    const auto config = configFromJson(configJson);
    if (!config) {
        print("Settings cannot be read: " + config.error().text());
        return;
    }
    TextTable table;
    table.columns = {{"changed setting"}, {"value"}, {"default"}};
    for (const auto& difference : differences(*config, ExperimentConfig{}))
        table.rows.push_back({difference.id, plainText(difference.first), plainText(difference.second)});
    print(table.text());
}

class ShowCommand : public Command
{
public:
    std::string_view name() const override { return "show"; }
    std::string_view summary() const override
    {
        return "Show a run: verdict, metrics, evaluations, checkpoints, settings, events";
    }

    void declare(CLI::App& app) override
    {
        addAllFlag(app, m_all);
        app.add_flag("--ledger", m_ledger,
                     "Instead: what loading its model did to every tensor when the run began");
        app.add_option("RUN", m_run, "Id, beginning of one, name, or last")->required();
    }

    Result<int> run(const Invocation& invocation) override
    {
        markInterrupted(invocation.place);
        TRY(const auto reader, RunReader::open(invocation.place));
        if (m_ledger) {
            TRY(const auto id, reader->findRun(m_run));
            TRY(const auto ledger, readLedger(invocation.place, id));
            if (invocation.json)
                printJson(toJson(ledger));
            else
                print(ledgerText(ledger));
            return 0;
        }
        TRY(const auto view, readRun(*reader, m_run));
        if (invocation.json) {
            auto json = toJson(view.details);
            json["evaluations"] = toJsonList(view.evaluations);
            json["checkpoints"] = toJson(view.checkpoints);
            json["stopped_early"] = view.early.empty() ? Json(nullptr) : Json(view.early);
            json["events"] = toJsonList(view.events);
            printJson(json);
            return 0;
        }
        printHeader(view.details, view.early);
        printEvaluations(view.evaluations, m_all ? MetricRows::All : MetricRows::Main);
        printCheckpoints(view.checkpoints);
        printSettings(view.details.configJson);
        for (const auto& event : view.events)
            print(fmt::format("{}  step {:>6}  {:<12} {}", timeText(event.at), event.step, event.kind,
                              plainText(event.text)));
        return 0;
    }

private:
    std::string m_run;
    bool m_ledger = false;
    bool m_all = false;
};

} // namespace

std::unique_ptr<Command> makeShowCommand()
{
    return std::make_unique<ShowCommand>();
}

} // namespace assay
