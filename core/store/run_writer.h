#pragma once

#include "core/store/run_store.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "core/store/sqlite/database.h"
#include "core/store/sqlite/process_identity.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

namespace assay {

/// Steps, events, heartbeats and controls that were taken wait in memory and are committed together every 250
/// ms by a thread of the writer's own, so that a training step never waits for the disk: `takeControls` has
/// nothing to say while that thread commits. Everything else commits before it returns, after what waited.
/// Rows that cannot be written (disk full) stay in memory and are tried again; flush() reports why.
class SqliteRunWriter final : public RunWriter
{
public:
    SqliteRunWriter(StorePlace place, std::unique_ptr<Database> database);
    ~SqliteRunWriter() override;

    Result<RunId> beginRun(const NewRun& run) override;
    Result<std::int64_t> beginAttempt(const RunId& run, std::int64_t fromStep) override;
    Status setStatus(const RunId& run, RunStatus status, const std::string& errorText) override;
    Status appendStep(const RunId& run, const StepRecord& record) override;
    Result<std::int64_t> appendEvaluation(const RunId& run, const EvaluationRecord& record) override;
    Status appendPredictions(const RunId& run, std::int64_t evaluation,
                             std::span<const StoredPrediction> rows) override;
    Status addExamples(std::span<const StoredExample> examples) override;
    Status appendEvent(const RunId& run, const EventRecord& event) override;
    Result<std::int64_t> addCheckpoint(const RunId& run, const CheckpointRecord& checkpoint) override;
    Status removeCheckpoint(const RunId& run, std::int64_t id) override;
    Result<std::vector<Control>> takeControls(const RunId& run) override;
    Status heartbeat(const RunId& run, std::int64_t step, double seconds) override;
    Status flush() override;
    const StorePlace& place() const override { return m_place; }

private:
    struct Pulse
    {
        std::int64_t step = 0;
        double seconds = 0.0;
    };
    struct Taken
    {
        std::int64_t last = 0; ///< id of the newest control that was taken
        std::int64_t at = 0;   ///< ms
    };
    struct Waiting
    {
        RunId run;
        std::variant<StepRecord, EventRecord, Pulse, Taken> record;
    };
    struct AttemptState
    {
        std::int64_t loose = 0; ///< steps that are rows
        std::int64_t lastStep = 0;
        bool complained = false; ///< about steps that came twice
    };

    Status enqueue(Waiting waiting);
    void insert(const Waiting& waiting);
    void writeLoop(const std::stop_token& stop);
    /// Runs a change in a transaction of its own after what waited. Locks the connection.
    template <typename Function>
    auto durably(Function&& change);
    void writeWaiting(); ///< connection locked; throws StoreFailure and keeps the rows
    void insert(const RunId& run, const StepRecord& record);
    void insert(const RunId& run, const EventRecord& event);
    void insert(const RunId& run, const Pulse& pulse);
    void insert(const RunId& run, const Taken& taken);
    std::int64_t number(const RunId& run);
    AttemptState& attempt(std::int64_t run, std::int64_t attempt);

    StorePlace m_place;
    ProcessIdentity m_owner = thisProcess();

    std::mutex m_queueMutex; ///< guards the queue and the pulses; never held while the disk works
    std::condition_variable_any m_wake;
    std::deque<Waiting> m_queue;
    struct LastPulse
    {
        Pulse pulse;
        std::chrono::steady_clock::time_point queuedAt{};
    };
    std::map<RunId, LastPulse> m_pulses;

    std::timed_mutex m_databaseMutex; ///< guards everything below
    std::unique_ptr<Database> m_database;
    CheckpointRole m_checkpointRole;
    std::map<RunId, std::int64_t> m_numbers;
    std::map<RunId, std::int64_t> m_lastTaken; ///< id of the last control by run
    std::map<std::pair<std::int64_t, std::int64_t>, AttemptState> m_attempts;
    std::map<std::int64_t, std::int64_t> m_reached; ///< last step by run, in this transaction

    std::jthread m_thread; ///< last: stops before anything it uses goes away
};

} // namespace assay
