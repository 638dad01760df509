#include "core/run/training/checkpoint_keeper.h"

#include "core/base/folder_lock.h"
#include "core/eval/metric_direction.h"
#include "core/train/early_stopping.h"

#include <fmt/format.h>

#include <map>

namespace assay {

namespace {

Result<const Metric*> metricOf(const Report& report, const std::string& id, const char* field)
{
    if (const Metric* metric = report.metric(id))
        return metric;
    return Error{ErrorCode::Usage, fmt::format("the evaluation has no metric \"{}\"", id), field,
                 "Take auto, or a metric that this task has"};
}

} // namespace

CheckpointKeeper::CheckpointKeeper(const ExperimentConfig& config)
    : m_policy(config.checkpoint)
    , m_schedule(config.schedule)
{}

void CheckpointKeeper::continueWith(std::vector<CheckpointRecord> listed, WatchedEvaluations watched)
{
    m_listed = std::move(listed);
    m_watched = std::move(watched);
}

Status CheckpointKeeper::evaluated(const EvaluationRecord& evaluation, bool regular)
{
    WatchedEvaluation seen;
    seen.step = evaluation.step;
    seen.regular = regular;
    if (m_policy.keepBest) {
        m_watched.bestMetric = resolveMetric(m_policy.bestMetric, evaluation.report);
        TRY(const auto* metric, metricOf(evaluation.report, m_watched.bestMetric, "checkpoint.best_metric"));
        seen.best = metric->value;
    }
    if (m_schedule.stopEarly) {
        m_watched.stopMetric = resolveMetric(m_schedule.stopMetric, evaluation.report);
        TRY(const auto* metric, metricOf(evaluation.report, m_watched.stopMetric, "schedule.stop_metric"));
        m_watched.stopTitle = metric->title;
        seen.stop = metric->value;
    }
    m_watched.all.push_back(seen);
    return {};
}

bool CheckpointKeeper::wantsBestSaved() const
{
    const auto& all = m_watched.all;
    if (!m_policy.keepBest || !m_policy.saveBest || all.empty() || all.back().step == 0 || !all.back().best)
        return false;
    const auto direction = betterValue(m_watched.bestMetric);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        if (all[i].best && (!direction || !isBetter(*direction, *all.back().best, *all[i].best)))
            return false;
    return direction.has_value();
}

std::optional<std::string> CheckpointKeeper::stopReason() const
{
    if (!m_schedule.stopEarly)
        return std::nullopt;
    EarlyStopping stopping(m_schedule.patience, m_schedule.minimumImprovement,
                           betterValue(m_watched.stopMetric));
    for (const auto& seen : m_watched.all)
        if (seen.regular)
            stopping.observe(seen.step, seen.stop);
    return stopping.shouldStop() ? std::optional(stopping.reason(m_watched.stopTitle)) : std::nullopt;
}

CheckpointList CheckpointKeeper::list() const
{
    std::map<std::int64_t, double> values;
    for (const auto& seen : m_watched.all)
        if (seen.best)
            values.try_emplace(seen.step, *seen.best);
    return listCheckpoints(m_listed, m_watched.bestMetric, values);
}

void CheckpointKeeper::tidy(RunLog& log, const std::filesystem::path& artefacts, std::int64_t step)
{
    std::string steps;
    for (const auto& record : expendable(list(), m_policy)) {
        const auto folder = artefacts / record.path;
        const auto lock = FolderLock::tryAlone(folder);
        std::error_code unknown;
        if (!lock && std::filesystem::exists(folder, unknown))
            continue;
        if (!log.writer().removeCheckpoint(log.run(), record.id).ok())
            return; // a store that takes no rows now: nothing is deleted that is listed
        if (lock)
            removeCheckpointFiles(folder);
        std::erase_if(m_listed, [&record](const auto& listed) { return listed.id == record.id; });
        steps += fmt::format("{}{}", steps.empty() ? "" : ", ", record.step);
    }
    if (!steps.empty())
        log.event(step, EventLevel::Info, "checkpoint", "Older checkpoint deleted, of step " + steps);
}

} // namespace assay
