#pragma once

#include "core/config/experiment.h"
#include "core/run/training/run_log.h"
#include "core/store/checkpoint_list.h"
#include "core/train/checkpoint.h"

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// What a run's evaluations mean for its checkpoints and its end: which checkpoint is best, which may go, and
/// whether training should stop early.
class CheckpointKeeper
{
public:
    explicit CheckpointKeeper(const ExperimentConfig& config);

    /// Takes over from earlier attempts: the checkpoints that are listed, and what the one that is resumed
    /// from had seen.
    void continueWith(std::vector<CheckpointRecord> listed, WatchedEvaluations watched);

    /// Judges an evaluation; `regular` ones count for patience. Errors: Usage (it has no such metric).
    Status evaluated(const EvaluationRecord& evaluation, bool regular);
    /// Whether the last evaluation beats all before it and the experiment asks to save then.
    bool wantsBestSaved() const;
    /// Why training should end now; none = go on. The same after a resume.
    std::optional<std::string> stopReason() const;

    void saved(const CheckpointRecord& record) { m_listed.push_back(record); }
    /// Deletes what the policy no longer keeps: first the row, then the files. A checkpoint that somebody
    /// reads stays until the next time.
    void tidy(RunLog& log, const std::filesystem::path& artefacts, std::int64_t step);

    const WatchedEvaluations& watched() const { return m_watched; }

private:
    CheckpointList list() const;

    CheckpointConfig m_policy;
    ScheduleConfig m_schedule;
    std::vector<CheckpointRecord> m_listed;
    WatchedEvaluations m_watched;
};

} // namespace assay
