#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"
#include "ui/steps/solution.h"

#include <vector>

namespace assay {

/// A run with its evaluations, as the Steps page chooses among them.
struct EvaluatedRun
{
    RunSummary summary;
    std::vector<EvaluationTrack> evaluations; ///< oldest first, without probabilities
    std::vector<double> thresholds;           ///< one per evaluation
};

/// An empty `run` means the newest run that was evaluated. Errors: NotFound, Store.
Result<EvaluatedRun> readEvaluatedRun(const RunReader& reader, const RunId& run);

} // namespace assay
