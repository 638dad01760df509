#pragma once

#include "core/run/session.h"
#include "core/run/training/training_run.h"

#include <string>

namespace assay {

/// Red findings block a start unless a reason is given; without a row on both sides none will do.
/// Errors: Blocked.
Status mayStart(const ExperimentConfig& config, const Preflight& preflight);

/// Whether the parts are those that the run recorded: rows of both sides, tokenizer and, where nothing was
/// saved yet (`fromStart`), backbone and head. Errors: BadData, BadModel naming what has changed.
Status sameAsRecorded(const RunDetails& details, const RunParts& parts, bool fromStart);
/// Why a resumed run may differ in the last bits from one that was never stopped; empty = it does not.
std::string bitsMayDiffer(const RunDetails& details, const RunParts& parts);

} // namespace assay
