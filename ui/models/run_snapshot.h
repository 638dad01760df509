#pragma once

#include "core/config/experiment.h"
#include "core/store/run_store.h"

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// What the Run page asks the store for.
struct RunRequest
{
    RunId run;                           ///< empty = the newest run
    double fromStep = 0.0, toStep = 0.0; ///< visible part of the series; 0, 0 = all
    std::int64_t maximumPoints = 1500;
    std::int64_t knownEvent =
        -1;                     ///< newest event the page has; while it stays, evaluations are not read again
    bool wantClock = false;     ///< tokens and seconds of every step are needed (x axis)
    std::int64_t clockStep = 0; ///< last step the page's clock knows
};

/// One step's share of the clock.
struct ClockTick
{
    std::int64_t step = 0;
    double tokens = 0.0, seconds = 0.0;
};

/// What has happened in the last steps, for the header.
struct RecentPace
{
    std::int64_t steps = 0;
    double secondsPerStep = 0.0;
    double tokensPerSecond = 0.0;
    double dataWaitShare = 0.0;
};

/// Everything the Run page shows of a run, read in one go on the store thread.
struct RunSnapshot
{
    RunDetails details;
    std::optional<ExperimentConfig> config; ///< none when the stored configuration cannot be read
    std::vector<SeriesPoint> loss, gradientNorm, learningRate, tokensPerSecond, clipped;
    std::optional<std::vector<EvaluationRecord>> evaluations; ///< none = as known
    std::vector<EventRecord> events;                          ///< newest first
    std::vector<CheckpointRecord> checkpoints;
    std::vector<ClockTick> clock; ///< after RunRequest::clockStep
    RecentPace pace;
    std::vector<PostedControl> pending; ///< asked of a run in progress, and not taken yet

    std::int64_t newestEvent() const { return events.empty() ? 0 : events.front().id; }
    bool alive() const
    {
        return details.summary.status == RunStatus::Running || details.summary.status == RunStatus::Paused;
    }
};

/// Errors: NotFound when the store or the run is not there.
Result<RunSnapshot> readRun(const RunReader& store, const RunRequest& request);

/// Time that remains at the recent pace; none while unknown.
std::optional<double> remainingSeconds(const RunSnapshot& snapshot);

} // namespace assay
