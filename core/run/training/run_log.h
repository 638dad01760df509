#pragma once

#include "core/base/clock.h"
#include "core/run/session.h"

#include <chrono>
#include <string>

namespace assay {

/// A stopwatch on the monotonic clock.
class Stopwatch
{
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }
    void restart() { m_start = std::chrono::steady_clock::now(); }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// Writes a run's rows, then tells the observer: what a screen shows is in the store. A store that stops
/// taking rows (disk full) does not stop training: the failure is told once, and writing is tried again
/// (promise R5).
class RunLog
{
public:
    RunLog(RunWriter& writer, RunObserver& observer, RunId run, std::int64_t attempt)
        : m_writer(writer)
        , m_observer(observer)
        , m_run(std::move(run))
        , m_attempt(attempt)
    {}

    void step(StepRecord record);
    /// Stores the evaluation with its predictions. Errors: Store, Io (also told to the observer).
    Status evaluation(EvaluationRecord& record, std::span<const StoredPrediction> predictions);
    /// The record as it is stored. Errors: Store, Io (also told to the observer).
    Result<CheckpointRecord> checkpoint(CheckpointRecord record);
    void event(std::int64_t step, EventLevel level, const std::string& kind, const std::string& text);
    void flush();

    const RunId& run() const { return m_run; }
    std::int64_t attempt() const { return m_attempt; }
    RunWriter& writer() { return m_writer; }
    RunObserver& observer() { return m_observer; }

private:
    /// Tells the observer about the first of a series of failures.
    bool took(const Status& status, std::int64_t step);

    RunWriter& m_writer;
    RunObserver& m_observer;
    RunId m_run;
    std::int64_t m_attempt;
    bool m_failing = false;
};

} // namespace assay
