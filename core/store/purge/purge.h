#pragma once

#include "core/store/run_store.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// A deleted run, and what is on disk for it.
struct PurgeItem
{
    RunId run;
    std::string name;
    std::int64_t deletedAt = 0;     ///< ms since 1970
    std::int64_t artefactBytes = 0; ///< its folder
};

/// What a purge removes.
struct PurgePlan
{
    std::vector<PurgeItem> runs;
    /// Folders of runs that have no row: a purge that was killed leaves them.
    std::vector<RunId> leftovers;
    std::int64_t leftoverBytes = 0;
    std::int64_t bytes() const;
};

/// The deleted runs of a store, or those of them that are named, the newest first; nothing is changed.
/// Errors: NotFound, Usage (a run that is not deleted), Store.
Result<PurgePlan> planPurge(const StorePlace& place, std::span<const RunId> runs = {});

/// Removes the runs of the plan for good: their rows, the texts, splits and settings that no other run
/// uses, and their folders; and the leftovers. Rows go first, in one transaction that is on disk before any
/// file goes: a kill leaves folders without a row, which nothing lists and the next purge takes. Returns what
/// went; a run that was restored meanwhile stays. Errors: Usage (somebody reads a checkpoint of it, or it is
/// in progress; then nothing is removed), Store, Io (folders that cannot be removed).
Result<PurgePlan> purge(const StorePlace& place, const PurgePlan& plan);

} // namespace assay
