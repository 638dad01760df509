#pragma once

#include "app/command.h"
#include "core/model/ledger.h"
#include "core/run/session.h"

#include <string>

namespace assay {

/// Badge, sentence, evidence and remedy of a verdict, for a terminal; empty without a verdict.
std::string verdictText(const std::string& badge, const std::string& sentence, const std::string& evidence,
                        const std::string& remedy);
/// Which metrics a text lists: the main ones of the task, or all.
enum class MetricRows { Main, All };
/// The metrics of a report with interval and what chance reaches, undefined ones with their reason, and how
/// many were left out.
std::string metricsText(const Report& report, MetricRows rows);
/// The findings of a report that are no notes.
std::string findingsText(const Report& report);
/// A row for every tensor, and how many had which fate.
std::string ledgerText(const Ledger& ledger);
/// Declares `--all`, which asks for MetricRows::All.
void addAllFlag(CLI::App& app, bool& all);

/// What a run came to: verdict, metrics, where it is. Returns the exit code (stopped = cancelled).
int printOutcome(const Invocation& invocation, const RunOutcome& outcome, MetricRows rows);

/// Marks runs whose process is gone as interrupted. A store that is absent or cannot be written is left as it
/// is.
void markInterrupted(const StorePlace& place);

/// Resolves an id, the beginning of one, a name or `last`. Errors: NotFound.
Result<RunId> findRunIn(const StorePlace& place, const std::string& text);

} // namespace assay
