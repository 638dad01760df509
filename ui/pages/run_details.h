#pragma once

#include "core/base/result.h"
#include "core/config/json.h"
#include "core/store/run_store.h"
#include "ui/plots/mini_plot.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// Everything the details pane of the Runs page shows about one run, as plain values.
struct RunOverview
{
    RunDetails details;
    std::string parentName;                ///< empty = no parent in this store
    std::vector<ConfigDifference> changes; ///< first = parent, second = this run
    std::vector<MiniSeries> plots;         ///< loss, two metrics of the task, gradient norm
    std::int64_t evaluations = 0, predictions = 0;
    std::int64_t checkpoints = 0, checkpointBytes = 0;
};

/// Reads a run for the details pane. Errors: NotFound, Store. A parent that is gone is no error.
Result<RunOverview> readRunOverview(const RunReader& reader, const RunId& run);

/// Best null baseline of an evaluation for a metric ("auroc" looks at baseline_auroc_*); empty without one.
std::optional<double> bestBaseline(const Report& report, const std::string& metric);

} // namespace assay
