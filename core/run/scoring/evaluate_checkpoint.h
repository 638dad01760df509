#pragma once

#include "core/run/session.h"

#include <optional>
#include <stop_token>
#include <string>

namespace assay {

/// Session::evaluate. Errors: as there.
Result<EvaluationRecord> evaluateCheckpoint(const StorePlace& place, const RunId& run,
                                            std::optional<std::int64_t> checkpoint,
                                            const std::string& dataPath, RunObserver& observer,
                                            const std::stop_token& stop);

} // namespace assay
