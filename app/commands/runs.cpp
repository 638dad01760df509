#include "app/commands/commands.h"
#include "app/commands/runs/run_edits.h"
#include "app/commands/runs/run_purge.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

/// "AUROC 0.912 (0.623)": the value, and in brackets what the best baseline reaches.
std::string headlineText(const RunSummary& run)
{
    if (!run.headline)
        return "-";
    auto text = fmt::format("{} {}", run.headline->title, metricText(run.headline->value));
    if (run.headline->baseline)
        text += fmt::format(" ({})", metricText(run.headline->baseline));
    return text;
}

std::string statusText(const RunSummary& run)
{
    auto text = std::string(runStatusId(run.status));
    if ((run.status == RunStatus::Running || run.status == RunStatus::Paused) && run.plannedSteps > 0)
        text += fmt::format(" {} %", 100 * run.step / run.plannedSteps);
    return text;
}

TextTable runTable(const std::vector<RunSummary>& runs)
{
    TextTable table;
    table.columns = {{"id"},      {"status"},
                     {"name"},    {"backbone"},
                     {"data"},    {"metric (baseline)"},
                     {"verdict"}, {"duration", TextAlign::Right},
                     {"started"}, {"tags"}};
    for (const auto& run : runs)
        table.rows.push_back({run.id, statusText(run), elided(plainText(run.name), 36),
                              elided(plainText(run.backbone), 24), elided(plainText(run.data), 24),
                              headlineText(run), run.verdictBadge.empty() ? "-" : run.verdictBadge,
                              durationText(run.seconds), timeText(run.startedAt),
                              plainText(fmt::format("{}", fmt::join(run.tags, ", ")))});
    return table;
}

class RunsCommand : public Command
{
public:
    std::string_view name() const override { return "runs"; }
    std::string_view summary() const override
    {
        return "List the runs of the store, newest first; tag, rename, archive, delete, purge them";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--filter", m_query.filter,
                       "As in the window's filter line: 'status = failed', 'auroc > 0.8 and tag = best', "
                       "'name ~ \"q05\"'");
        app.add_option("--sort", m_query.sortColumn, "Column to sort by")->capture_default_str();
        app.add_flag("--ascending", m_ascending, "Smallest or oldest first");
        app.add_flag("--archived", m_query.includeArchived, "Include archived runs");
        app.add_flag("--deleted", m_query.onlyDeleted, "Deleted runs only");
        app.add_option("--limit", m_query.limit, "Rows at most")
            ->check(CLI::Range(1, 1'000'000))
            ->capture_default_str();
        m_edits.declare(app);
        m_purge.declare(app);
    }

    Result<int> run(const Invocation& invocation) override
    {
        if (m_edits.given())
            return m_edits.run(invocation);
        if (m_purge.given())
            return m_purge.run(invocation);
        markInterrupted(invocation.place);
        m_query.descending = !m_ascending;
        TRY(const auto reader, RunReader::open(invocation.place));
        TRY(const auto page, reader->runs(m_query));
        if (invocation.json) {
            printJson({{"matching", page.matching}, {"total", page.total}, {"runs", toJsonList(page.rows)}});
            return 0;
        }
        if (page.rows.empty())
            print(page.total == 0 ? "No runs yet. `assay demo` makes one." : "No run matches.");
        else
            print(runTable(page.rows).text());
        if (page.matching > static_cast<std::int64_t>(page.rows.size()))
            print(fmt::format("{} of {} matching runs shown; --limit shows more.", page.rows.size(),
                              page.matching));
        return 0;
    }

private:
    RunQuery m_query;
    RunEditCommands m_edits;
    RunPurgeCommand m_purge;
    bool m_ascending = false;
};

} // namespace

std::unique_ptr<Command> makeRunsCommand()
{
    return std::make_unique<RunsCommand>();
}

} // namespace assay
