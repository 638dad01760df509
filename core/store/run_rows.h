#pragma once

#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "core/store/sqlite/process_identity.h"

#include <string_view>

namespace assay {

/// Key of a run. Throws StoreFailure (NotFound).
std::int64_t runNumber(Database& database, const RunId& id);

/// Inserts a run with everything it names and its first attempt; inside a transaction. Returns its key.
std::int64_t insertRun(Database& database, const RunId& id, const NewRun& run, const ProcessIdentity& owner);

/// A new attempt of a run that is not running elsewhere; inside a transaction. Returns its number.
std::int64_t insertAttempt(Database& database, std::int64_t run, std::int64_t fromStep,
                           const ProcessIdentity& owner);

/// Columns of a RunSummary over `runs r`, for readSummary.
std::string_view summaryColumns();
RunSummary readSummary(const Statement& statement);

RunDetails readDetails(Database& database, const RunId& id);

/// Train and evaluation ids of the run's split.
std::pair<std::vector<std::string>, std::vector<std::string>> readSplit(Database& database, std::int64_t run);

/// Replaces the findings of the run's label checks (evaluation 0) or adds those of an evaluation.
void insertFindings(Database& database, std::int64_t run, std::int64_t evaluation, const Report& report);

} // namespace assay
