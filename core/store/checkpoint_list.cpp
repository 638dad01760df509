#include "core/store/checkpoint_list.h"

#include "core/eval/metric_direction.h"

#include <algorithm>

namespace assay {

std::string resolveMetric(const std::string& setting, const Report& report)
{
    if (setting != "auto")
        return setting;
    for (const char* id : {"auroc", "pair_accuracy"})
        if (report.metric(id))
            return id;
    return "loss";
}

CheckpointList listCheckpoints(std::span<const CheckpointRecord> checkpoints, const std::string& metricId,
                               const std::map<std::int64_t, double>& values)
{
    CheckpointList list;
    list.metricId = metricId;
    for (const auto& record : checkpoints)
        list.rows.push_back({record, {}, false, false, false});
    std::sort(list.rows.begin(), list.rows.end(), [](const auto& a, const auto& b) {
        return std::pair(a.record.step, a.record.id) < std::pair(b.record.step, b.record.id);
    });
    const auto direction = betterValue(metricId);
    ListedCheckpoint* best = nullptr;
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
        auto& row = list.rows[i];
        if (const auto value = values.find(row.record.step); value != values.end())
            row.value = value->second;
        row.superseded = i + 1 < list.rows.size() && list.rows[i + 1].record.step == row.record.step;
        // Of equal ones the earliest is best: it has been trained the least.
        if (!row.superseded && row.value && direction &&
            (!best || isBetter(*direction, *row.value, *best->value)))
            best = &row;
    }
    if (best)
        best->best = true;
    if (!list.rows.empty())
        list.rows.back().newest = true;
    return list;
}

CheckpointList listCheckpoints(std::span<const CheckpointRecord> checkpoints, const CheckpointConfig& policy,
                               std::span<const EvaluationRecord> evaluations)
{
    std::map<std::int64_t, double> values;
    std::string metricId, metricTitle;
    for (const auto& evaluation : evaluations) {
        if (!evaluation.data.empty())
            continue;
        if (metricId.empty())
            metricId = resolveMetric(policy.bestMetric, evaluation.report);
        const auto* metric = evaluation.report.metric(metricId);
        if (!metric)
            continue;
        metricTitle = metric->title;
        if (metric->value)
            values.try_emplace(evaluation.step, *metric->value);
    }
    auto list = listCheckpoints(checkpoints, metricId, values);
    list.metricTitle = metricTitle;
    return list;
}

std::vector<CheckpointRecord> expendable(const CheckpointList& list, const CheckpointConfig& policy)
{
    std::vector<CheckpointRecord> result;
    std::int64_t newer = 0;
    for (auto row = list.rows.rbegin(); row != list.rows.rend(); ++row) {
        if (row->superseded) {
            result.push_back(row->record);
            continue;
        }
        const bool among = !policy.keepLast || newer < std::max<std::int64_t>(1, *policy.keepLast);
        ++newer;
        if (!among && !row->record.final && !(policy.keepBest && row->best))
            result.push_back(row->record);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

} // namespace assay
