#include "core/store/purge/purge.h"

#include "core/base/folder_lock.h"
#include "core/store/migrations.h"
#include "core/store/run_rows.h"
#include "core/store/sqlite/checkpoint_role.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace assay {

namespace {

namespace fs = std::filesystem;

/// What belongs to a run; ? is its number. Rows that point come before those they point at.
constexpr std::array kOfTheRun{
    "DELETE FROM predictions WHERE evaluation IN (SELECT id FROM evaluations WHERE run = ?)",
    "DELETE FROM evaluation_examples WHERE evaluation IN (SELECT id FROM evaluations WHERE run = ?)",
    "DELETE FROM metrics WHERE run = ?",
    "DELETE FROM findings WHERE run = ?",
    "DELETE FROM evaluations WHERE run = ?",
    "DELETE FROM series_values WHERE block IN (SELECT id FROM series_blocks WHERE run = ?)",
    "DELETE FROM series_blocks WHERE run = ?",
    "DELETE FROM step_rows WHERE run = ?",
    "DELETE FROM attempts WHERE run = ?",
    "DELETE FROM events WHERE run = ?",
    "DELETE FROM checkpoints WHERE run = ?",
    "DELETE FROM artefacts WHERE run = ?",
    "DELETE FROM controls WHERE run = ?",
    "DELETE FROM tags WHERE run = ?",
    "DELETE FROM run_inputs WHERE run = ?",
    "DELETE FROM runs WHERE number = ?",
};

/// What runs share, once no run has it any more. The texts are looked at last: a split names them as well.
constexpr std::array kShared{
    "DELETE FROM configs WHERE number NOT IN (SELECT config FROM run_inputs)",
    "DELETE FROM split_ids WHERE split NOT IN (SELECT split FROM run_inputs WHERE split IS NOT NULL)",
    "DELETE FROM splits WHERE number NOT IN (SELECT split FROM run_inputs WHERE split IS NOT NULL)",
    "DELETE FROM examples WHERE number IN (SELECT number FROM purged_examples) "
    "AND number NOT IN (SELECT example FROM evaluation_examples) "
    "AND number NOT IN (SELECT example FROM predictions) AND id NOT IN (SELECT example FROM split_ids)",
};

/// Examples of the run; those that nobody else uses go with it.
constexpr auto kRememberExamples =
    "INSERT OR IGNORE INTO purged_examples SELECT example FROM evaluation_examples WHERE evaluation IN "
    "(SELECT id FROM evaluations WHERE run = ?1) UNION SELECT x.number FROM split_ids s JOIN run_inputs i ON "
    "i.split = s.split JOIN examples x ON x.id = s.example WHERE i.run = ?1";

fs::path folderOf(const StorePlace& place, const RunId& run)
{
    return place.artefacts() / "runs" / run;
}

auto isOf(const RunId& run)
{
    return [&run](const PurgeItem& item) { return item.run == run; };
}

std::int64_t bytesIn(const fs::path& folder)
{
    std::int64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code gone;
        if (entry->is_regular_file(gone) && !entry->is_symlink(gone))
            if (const auto size = entry->file_size(gone); !gone)
                bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

/// Whether a folder is one of ours: 12 lower-case hex characters. What people put beside them stays.
bool isRunId(const std::string& name)
{
    return name.size() == 12 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Folders below artefacts/runs whose run has no row. A run has its row before it has a folder.
std::vector<RunId> leftoversOf(Database& database, const StorePlace& place)
{
    std::vector<RunId> leftovers;
    std::error_code error;
    for (fs::directory_iterator entry(place.artefacts() / "runs", error), end; !error && entry != end;
         entry.increment(error)) {
        auto name = entry->path().filename().string();
        if (isRunId(name) && database.integer("SELECT count(*) FROM runs WHERE id = ?", name) == 0)
            leftovers.push_back(std::move(name));
    }
    std::sort(leftovers.begin(), leftovers.end());
    return leftovers;
}

std::vector<PurgeItem> deletedRuns(Database& database, const StorePlace& place)
{
    std::vector<PurgeItem> items;
    auto statement = database.prepare(
        "SELECT id, name, deleted_ms FROM runs WHERE deleted_ms IS NOT NULL ORDER BY number DESC");
    while (statement.step())
        items.push_back({statement.text(0), statement.text(1), statement.integer(2),
                         bytesIn(folderOf(place, statement.text(0)))});
    return items;
}

/// Nobody may load what is about to go; the locks last until the files are gone.
Result<std::vector<FolderLock>> lockCheckpoints(const StorePlace& place, const RunId& run)
{
    std::vector<FolderLock> locks;
    std::error_code error;
    for (fs::directory_iterator entry(folderOf(place, run) / "checkpoints", error), end;
         !error && entry != end; entry.increment(error)) {
        if (auto lock = FolderLock::tryAlone(entry->path()))
            locks.push_back(std::move(*lock));
        else if (std::error_code gone; fs::is_directory(entry->path(), gone))
            return Error{ErrorCode::Usage, "a checkpoint of the run is being read", run,
                         "Wait until the program that reads it has ended; nothing was removed"};
    }
    return locks;
}

/// The runs of the plan that are still deleted, gone from the database when it returns.
std::vector<PurgeItem> removeRows(Database& database, const PurgePlan& plan)
{
    // Keys are checked by the order above; the database would look for every text in every prediction.
    database.script("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = FAST;"
                    "CREATE TEMP TABLE IF NOT EXISTS purged_examples (number INTEGER PRIMARY KEY);");
    std::vector<PurgeItem> removed;
    Transaction transaction(database);
    for (const auto& item : plan.runs) {
        const auto number =
            database.integer("SELECT number FROM runs WHERE id = ? AND deleted_ms IS NOT NULL", item.run);
        if (number == 0)
            continue;
        if (database.integer("SELECT status IN ('running', 'paused') FROM runs WHERE number = ?", number) !=
            0)
            throw StoreFailure({ErrorCode::Usage, "a run in progress cannot be removed", item.run,
                                "Stop it first; nothing was removed"});
        database.run(kRememberExamples, number);
        for (const auto* sql : kOfTheRun)
            database.run(sql, number);
        removed.push_back(item);
    }
    for (const auto* sql : kShared)
        database.run(sql);
    transaction.commit();
    return removed;
}

Result<PurgePlan> removeFromDatabase(const StorePlace& place, const PurgePlan& plan)
{
    return guarded([&] {
        const auto database = openForWriting(place);
        PurgePlan removed;
        removed.runs = removeRows(*database, plan);
        // Asked again and now with the runs just removed, whose folders are counted already.
        removed.leftovers = leftoversOf(*database, place);
        std::erase_if(removed.leftovers, [&removed](const RunId& run) {
            return std::any_of(removed.runs.begin(), removed.runs.end(), isOf(run));
        });
        for (const auto& leftover : removed.leftovers)
            removed.leftoverBytes += bytesIn(folderOf(place, leftover));
        CheckpointRole(place.folder).finish(*database);
        return removed;
    });
}

Status removeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        return Error{ErrorCode::Io, "the folder of a removed run cannot be deleted: " + error.message(),
                     folder.string(), "Mend what the message names and purge again"};
    return {};
}

} // namespace

std::int64_t PurgePlan::bytes() const
{
    std::int64_t sum = leftoverBytes;
    for (const auto& item : runs)
        sum += item.artefactBytes;
    return sum;
}

Result<PurgePlan> planPurge(const StorePlace& place, std::span<const RunId> runs)
{
    return guarded([&] {
        const auto connection = openForReading(place);
        PurgePlan plan;
        plan.runs = deletedRuns(*connection.database, place);
        for (const auto& run : runs)
            if (std::none_of(plan.runs.begin(), plan.runs.end(), isOf(run))) {
                static_cast<void>(runNumber(*connection.database, run));
                throw StoreFailure({ErrorCode::Usage, "the run is not deleted", run,
                                    "Delete it first: assay runs delete " + run});
            }
        if (!runs.empty())
            std::erase_if(plan.runs, [&runs](const PurgeItem& item) {
                return std::find(runs.begin(), runs.end(), item.run) == runs.end();
            });
        plan.leftovers = leftoversOf(*connection.database, place);
        for (const auto& leftover : plan.leftovers)
            plan.leftoverBytes += bytesIn(folderOf(place, leftover));
        return plan;
    });
}

Result<PurgePlan> purge(const StorePlace& place, const PurgePlan& plan)
{
    std::vector<FolderLock> locks;
    for (const auto& item : plan.runs) {
        TRY(auto ofRun, lockCheckpoints(place, item.run));
        std::move(ofRun.begin(), ofRun.end(), std::back_inserter(locks));
    }
    TRY(const auto done, removeFromDatabase(place, plan));
    for (const auto& item : done.runs)
        TRY_STATUS(removeFolder(folderOf(place, item.run)));
    for (const auto& leftover : done.leftovers)
        TRY_STATUS(removeFolder(folderOf(place, leftover)));
    return done;
}

} // namespace assay
