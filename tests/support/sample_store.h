#pragma once

#include "core/store/run_store.h"

#include <vector>

namespace assay::tests {

/// What `fillSampleStore` wrote.
struct SampleStore
{
    StorePlace place;
    std::vector<RunId> runs; ///< in the order they were begun
    RunId full;              ///< the run with 600 steps, 8 evaluations, predictions, events, checkpoints
    RunId fault;             ///< always True: labels broken, with one evaluation and predictions
};

/// Fills a new store in `folder` with 13 runs of all states and verdicts. All text is made up here; the same
/// every time except for ids and the times of day.
Result<SampleStore> fillSampleStore(const std::filesystem::path& folder);

} // namespace assay::tests
