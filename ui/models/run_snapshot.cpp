#include "ui/models/run_snapshot.h"

#include "core/config/json.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::int64_t kEvents = 500;
constexpr std::int64_t kPaceSteps = 50;
constexpr std::int64_t kClockChunk =
    20000; ///< steps read at a time, so that a long run's clock comes in pieces

Result<RecentPace> readPace(const RunReader& store, const RunId& run, std::int64_t lastStep)
{
    TRY(const auto steps, store.steps(run, std::max<std::int64_t>(0, lastStep - kPaceSteps), kPaceSteps));
    RecentPace pace;
    double seconds = 0.0, tokens = 0.0, wait = 0.0;
    for (const auto& step : steps) {
        seconds += step.seconds;
        tokens += static_cast<double>(step.tokens);
        wait += step.dataWaitSeconds;
    }
    pace.steps = static_cast<std::int64_t>(steps.size());
    if (pace.steps > 0 && seconds > 0.0) {
        pace.secondsPerStep = seconds / static_cast<double>(pace.steps);
        pace.tokensPerSecond = tokens / seconds;
        pace.dataWaitShare = wait / seconds;
    }
    return pace;
}

Result<std::vector<ClockTick>> readClock(const RunReader& store, const RunId& run, std::int64_t afterStep)
{
    std::vector<ClockTick> clock;
    TRY(const auto steps, store.steps(run, afterStep, kClockChunk));
    clock.reserve(steps.size());
    for (const auto& step : steps)
        clock.push_back({step.step, static_cast<double>(step.tokens), step.seconds});
    return clock;
}

} // namespace

Result<RunSnapshot> readRun(const RunReader& store, const RunRequest& request)
{
    RunId run = request.run;
    if (run.empty()) {
        TRY(run, store.findRun("last"));
    }
    RunSnapshot snapshot;
    TRY(snapshot.details, store.run(run));
    if (auto config = configFromJson(snapshot.details.configJson); config.ok())
        snapshot.config = std::move(config).value();
    const auto series = [&](const char* name) {
        return store.series(run, name, request.fromStep, request.toStep, request.maximumPoints);
    };
    TRY(snapshot.loss, series("loss"));
    TRY(snapshot.gradientNorm, series("gradient_norm"));
    TRY(snapshot.learningRate, series("learning_rate"));
    TRY(snapshot.tokensPerSecond, series("tokens_per_second"));
    TRY(snapshot.clipped, series("clipped"));
    TRY(snapshot.events, store.events(run, kEvents));
    std::sort(snapshot.events.begin(), snapshot.events.end(),
              [](const EventRecord& a, const EventRecord& b) { return a.id > b.id; });
    TRY(snapshot.checkpoints, store.checkpoints(run));
    // Reports are large and change seldom; every evaluation of a training run also logs an event.
    if (snapshot.newestEvent() != request.knownEvent) {
        TRY(snapshot.evaluations, store.evaluations(run));
    }
    TRY(snapshot.pace, readPace(store, run, snapshot.details.summary.step));
    if (snapshot.alive()) {
        TRY(snapshot.pending, store.pendingControls(run));
    }
    if (request.wantClock) {
        TRY(snapshot.clock, readClock(store, run, request.clockStep));
    }
    return snapshot;
}

std::optional<double> remainingSeconds(const RunSnapshot& snapshot)
{
    const auto& summary = snapshot.details.summary;
    if (snapshot.pace.secondsPerStep <= 0.0 || summary.plannedSteps <= summary.step || summary.step <= 0)
        return std::nullopt;
    // Evaluations and checkpoints cost time, too: the time of the whole run per step covers them, the recent
    // pace follows a change of speed. The larger is the more honest promise.
    const double overall = summary.seconds / static_cast<double>(summary.step);
    const double perStep = std::max(snapshot.pace.secondsPerStep, overall);
    return perStep * static_cast<double>(summary.plannedSteps - summary.step);
}

} // namespace assay
