#pragma once

#include "core/config/experiment.h"
#include "core/store/records.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// A checkpoint as lists show it and the policy judges it.
struct ListedCheckpoint
{
    CheckpointRecord record;
    std::optional<double> value; ///< of the list's metric at this step; none = not evaluated there
    bool newest = false, best = false;
    bool superseded = false; ///< the same step was saved again later
};

/// All checkpoints of a run, oldest step first, and what "best" means for them.
struct CheckpointList
{
    std::string metricId, metricTitle; ///< empty while nothing has been evaluated
    std::vector<ListedCheckpoint> rows;
};

/// The metric that `auto` stands for in this evaluation: AUROC for steps, pair accuracy for pairs, else the
/// loss.
std::string resolveMetric(const std::string& setting, const Report& report);

/// The list by the metric's value at each step. A run cannot be best by a metric without a better side.
CheckpointList listCheckpoints(std::span<const CheckpointRecord> checkpoints, const std::string& metricId,
                               const std::map<std::int64_t, double>& values);
/// The list from what the store holds; evaluations of other rows than the run's own are left out.
CheckpointList listCheckpoints(std::span<const CheckpointRecord> checkpoints, const CheckpointConfig& policy,
                               std::span<const EvaluationRecord> evaluations);

/// What the policy may delete: neither final, nor among the newest that it keeps, nor (if it says so) the
/// best. The newest is never among them, because a resume needs it.
std::vector<CheckpointRecord> expendable(const CheckpointList& list, const CheckpointConfig& policy);

} // namespace assay
