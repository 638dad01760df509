#include "app/commands/runs/run_purge.h"

#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"
#include "core/store/purge/purge.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay {

namespace {

void printPlan(const PurgePlan& plan, bool done)
{
    TextTable table;
    table.columns = {{"id"}, {"name"}, {"deleted"}, {"artefacts", TextAlign::Right}};
    for (const auto& item : plan.runs)
        table.rows.push_back({item.run, elided(plainText(item.name), 36), timeText(item.deletedAt),
                              bytesText(item.artefactBytes)});
    if (!plan.runs.empty())
        print(table.text());
    if (!plan.leftovers.empty())
        print(fmt::format("Left of runs that are gone: {} folder{}, {}", plan.leftovers.size(),
                          plan.leftovers.size() == 1 ? "" : "s", bytesText(plan.leftoverBytes)));
    const auto rows = fmt::format("{} run{}", plan.runs.size(), plan.runs.size() == 1 ? "" : "s");
    if (done)
        print(fmt::format("Removed for good: {}, {} of files. Later runs use their place in the database.",
                          rows, bytesText(plan.bytes())));
    else
        print(
            fmt::format("Nothing was removed. With --yes: {} with every row, text and prediction, and {} of "
                        "files, for good.",
                        rows, bytesText(plan.bytes())));
}

Json planJson(const PurgePlan& plan, bool done)
{
    Json runs = Json::array();
    for (const auto& item : plan.runs)
        runs.push_back({{"id", item.run},
                        {"name", item.name},
                        {"deleted_ms", item.deletedAt},
                        {"artefact_bytes", item.artefactBytes}});
    return {{"removed", done},
            {"runs", runs},
            {"leftovers", plan.leftovers},
            {"leftover_bytes", plan.leftoverBytes},
            {"bytes", plan.bytes()}};
}

} // namespace

void RunPurgeCommand::declare(CLI::App& runs)
{
    auto* command = runs.add_subcommand(
        "purge", "Remove deleted runs for good, rows and artefacts; without --yes only says what that frees");
    command->fallthrough();
    command->add_option("RUN", m_runs, "Deleted runs by id; all of them without any");
    command->add_flag("--yes", m_yes, "Do it; nothing brings the runs back");
    command->callback([this] { m_given = true; });
}

Result<int> RunPurgeCommand::run(const Invocation& invocation) const
{
    std::vector<RunId> runs;
    if (!m_runs.empty()) {
        TRY(const auto reader, RunReader::open(invocation.place));
        for (const auto& text : m_runs) {
            TRY(auto run, reader->findRun(text));
            runs.push_back(std::move(run));
        }
    }
    TRY(auto plan, planPurge(invocation.place, runs));
    const bool something = !plan.runs.empty() || !plan.leftovers.empty();
    if (m_yes && something) {
        TRY(plan, purge(invocation.place, plan));
    }
    if (invocation.json)
        printJson(planJson(plan, m_yes));
    else if (something)
        printPlan(plan, m_yes);
    else
        print("There is nothing to remove: no run is deleted.");
    return 0;
}

} // namespace assay
