#include "core/store/run_writer.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/store/evaluation_rows.h"
#include "core/store/migrations.h"
#include "core/store/run_rows.h"
#include "core/store/series_rows.h"

#include <random>
#include <utility>

namespace assay {

namespace {

using namespace std::chrono_literals;

constexpr auto kCommitEvery = 250ms;
constexpr auto kPulseEvery = 1s;
constexpr auto kControlPatience =
    2ms; ///< of the training thread: a commit that takes longer is not waited for
/// About 200 MB: with a full disk, training goes on for hours before rows are refused.
constexpr std::size_t kMaximumWaiting = 1'000'000;

RunId newRunId()
{
    std::random_device random;
    static constexpr std::string_view digits = "0123456789abcdef";
    RunId id;
    while (id.size() < 12) {
        for (unsigned bits = random(), i = 0; i < 8 && id.size() < 12; ++i, bits >>= 4)
            id += digits[bits & 15];
    }
    return id;
}

const char* levelWord(EventLevel level)
{
    return level == EventLevel::Error ? "error" : level == EventLevel::Warning ? "warning" : "info";
}

} // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::open(const StorePlace& place)
{
    return guarded([&]() -> std::unique_ptr<RunWriter> {
        return std::make_unique<SqliteRunWriter>(place, openForWriting(place));
    });
}

SqliteRunWriter::SqliteRunWriter(StorePlace place, std::unique_ptr<Database> database)
    : m_place(std::move(place))
    , m_database(std::move(database))
    , m_checkpointRole(m_place.folder)
    , m_thread([this](const std::stop_token& stop) { writeLoop(stop); })
{}

SqliteRunWriter::~SqliteRunWriter()
{
    m_thread.request_stop();
    m_wake.notify_all();
    m_thread.join();
    if (const auto status = flush(); !status.ok())
        logError("the last rows of a run could not be stored: " + status.error().text());
    const std::scoped_lock lock(m_databaseMutex);
    if (const auto status = guarded([&] { m_checkpointRole.finish(*m_database); }); !status.ok())
        logWarning("the store's log could not be emptied: " + status.error().text());
}

void SqliteRunWriter::writeLoop(const std::stop_token& stop)
{
    bool failing = false;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(m_queueMutex);
            m_wake.wait_for(lock, stop, kCommitEvery, [] { return false; });
        }
        if (stop.stop_requested())
            return;
        const std::scoped_lock lock(m_databaseMutex);
        const auto status = guarded([&] {
            writeWaiting();
            m_checkpointRole.maintain(*m_database);
        });
        if (!status.ok() && !failing)
            logError("the store cannot be written, rows are kept in memory: " + status.error().text());
        if (status.ok() && failing)
            logInfo("the store can be written again");
        failing = !status.ok();
    }
}

Status SqliteRunWriter::enqueue(Waiting waiting)
{
    const std::scoped_lock lock(m_queueMutex);
    if (m_queue.size() >= kMaximumWaiting)
        return Error{ErrorCode::Io, "the store could not be written for too long", m_place.folder.string(),
                     "Free some space on this disk"};
    m_queue.push_back(std::move(waiting));
    return {};
}

void SqliteRunWriter::writeWaiting()
{
    std::deque<Waiting> rows;
    {
        const std::scoped_lock lock(m_queueMutex);
        rows.swap(m_queue);
    }
    if (rows.empty())
        return;
    try {
        Transaction transaction(*m_database);
        for (const auto& waiting : rows)
            insert(waiting);
        for (const auto& [run, step] : m_reached)
            m_database->run("UPDATE runs SET step = ? WHERE number = ? AND step < ?", step, run, step);
        m_reached.clear();
        transaction.commit();
    } catch (const StoreFailure&) {
        m_attempts.clear(); // counts of a transaction that is gone
        m_reached.clear();
        const std::scoped_lock lock(m_queueMutex);
        m_queue.insert(m_queue.begin(), std::make_move_iterator(rows.begin()),
                       std::make_move_iterator(rows.end()));
        throw;
    }
}

void SqliteRunWriter::insert(const Waiting& waiting)
{
    try {
        std::visit([&](const auto& record) { insert(waiting.run, record); }, waiting.record);
    } catch (const StoreFailure& failure) {
        if (failure.error().code != ErrorCode::NotFound)
            throw;
        // Kept in the queue, a row of a run that does not exist would hold up all others for ever.
        logError("a row was dropped: " + failure.error().text());
    }
}

template <typename Function>
auto SqliteRunWriter::durably(Function&& change)
{
    const std::scoped_lock lock(m_databaseMutex);
    return guarded([&] {
        writeWaiting();
        Transaction transaction(*m_database);
        if constexpr (std::is_void_v<decltype(change())>) {
            change();
            transaction.commit();
        } else {
            auto value = change();
            transaction.commit();
            return value;
        }
    });
}

std::int64_t SqliteRunWriter::number(const RunId& run)
{
    auto& number = m_numbers[run];
    if (number == 0)
        number = runNumber(*m_database, run);
    return number;
}

SqliteRunWriter::AttemptState& SqliteRunWriter::attempt(std::int64_t run, std::int64_t attempt)
{
    const auto [state, isNew] = m_attempts.try_emplace({run, attempt});
    if (isNew) {
        state->second.loose = looseSteps(*m_database, run, attempt);
        state->second.lastStep = std::max(
            m_database->integer("SELECT max(step) FROM step_rows WHERE run = ? AND attempt = ?", run,
                                attempt),
            m_database->integer(
                "SELECT max(last_step) FROM series_blocks WHERE run = ? AND series = 'step' AND attempt = ?",
                run, attempt));
    }
    return state->second;
}

void SqliteRunWriter::insert(const RunId& run, const StepRecord& record)
{
    const std::int64_t key = number(run);
    auto& state = attempt(key, record.attempt);
    if (record.step <= state.lastStep) {
        if (!std::exchange(state.complained, true))
            logError("step " + std::to_string(record.step) + " of run " + run + " came twice in attempt " +
                     std::to_string(record.attempt) + "; the first row is kept");
        return;
    }
    insertStep(*m_database, key, record);
    state.lastStep = record.step;
    if (++state.loose >= kBlockSteps) {
        sealSteps(*m_database, key, record.attempt);
        state.loose = 0;
    }
    m_reached[key] = record.step;
}

void SqliteRunWriter::insert(const RunId& run, const EventRecord& event)
{
    m_database->run("INSERT INTO events (run, at_ms, step, level, kind, text) VALUES (?, ?, ?, ?, ?, ?)",
                    number(run), event.at != 0 ? event.at : nowMilliseconds(), event.step,
                    levelWord(event.level), event.kind, event.text);
}

void SqliteRunWriter::insert(const RunId& run, const Pulse& pulse)
{
    const std::int64_t key = number(run);
    m_database->run("UPDATE attempts SET seconds = max(seconds, ?) WHERE run = ? AND attempt = "
                    "(SELECT attempt FROM runs WHERE number = ?)",
                    pulse.seconds, key, key);
    // A run that was taken for dead (its machine slept) shows by its pulse that it is not.
    m_database->run("UPDATE runs SET heartbeat_ms = ?, step = max(step, ?), "
                    "seconds = (SELECT total(seconds) FROM attempts WHERE run = ?), "
                    "ended_ms = CASE status WHEN 'interrupted' THEN 0 ELSE ended_ms END, "
                    "status = CASE status WHEN 'interrupted' THEN 'running' ELSE status END WHERE number = ?",
                    nowMilliseconds(), pulse.step, key, key);
}

void SqliteRunWriter::insert(const RunId& run, const Taken& taken)
{
    m_database->run("UPDATE controls SET taken_ms = ? WHERE run = ? AND id <= ? AND taken_ms IS NULL",
                    taken.at, number(run), taken.last);
}

Result<RunId> SqliteRunWriter::beginRun(const NewRun& run)
{
    const RunId id = newRunId();
    return durably([&] {
        m_numbers[id] = insertRun(*m_database, id, run, m_owner);
        return id;
    });
}

Result<std::int64_t> SqliteRunWriter::beginAttempt(const RunId& run, std::int64_t fromStep)
{
    return durably([&] {
        const std::int64_t attempt = insertAttempt(*m_database, number(run), fromStep, m_owner);
        // Controls meant for the attempt that is gone would stop this one at once.
        m_database->run("UPDATE controls SET taken_ms = ? WHERE run = ? AND taken_ms IS NULL",
                        nowMilliseconds(), number(run));
        m_attempts.clear();
        const std::scoped_lock pulses(m_queueMutex);
        m_pulses.erase(run); // of the attempt before
        return attempt;
    });
}

Status SqliteRunWriter::setStatus(const RunId& run, RunStatus status, const std::string& errorText)
{
    {
        // The last pulses may have been too close together to be stored; a status has the exact time.
        const std::scoped_lock lock(m_queueMutex);
        if (const auto last = m_pulses.find(run); last != m_pulses.end())
            m_queue.push_back({run, last->second.pulse});
    }
    return durably([&] {
        const bool ended = status != RunStatus::Running && status != RunStatus::Paused;
        const std::int64_t now = nowMilliseconds();
        m_database->run(
            "UPDATE runs SET status = ?, error_text = ?, ended_ms = ?, heartbeat_ms = ? WHERE number = ?",
            runStatusId(status), errorText, ended ? now : 0, now, number(run));
        if (ended)
            m_database->run("UPDATE attempts SET ended_ms = ? WHERE run = ? AND attempt = "
                            "(SELECT attempt FROM runs WHERE number = ?)",
                            now, number(run), number(run));
    });
}

Status SqliteRunWriter::appendStep(const RunId& run, const StepRecord& record)
{
    return enqueue({run, record});
}

Status SqliteRunWriter::appendEvent(const RunId& run, const EventRecord& event)
{
    Waiting waiting{run, event};
    if (event.at == 0)
        std::get<EventRecord>(waiting.record).at = nowMilliseconds();
    return enqueue(std::move(waiting));
}

Status SqliteRunWriter::heartbeat(const RunId& run, std::int64_t step, double seconds)
{
    const auto now = std::chrono::steady_clock::now();
    {
        const std::scoped_lock lock(m_queueMutex);
        auto& last = m_pulses[run];
        last.pulse = {step, seconds};
        if (now - last.queuedAt < kPulseEvery)
            return {};
        last.queuedAt = now;
    }
    return enqueue({run, Pulse{step, seconds}});
}

Result<std::int64_t> SqliteRunWriter::appendEvaluation(const RunId& run, const EvaluationRecord& record)
{
    return durably([&] { return insertEvaluation(*m_database, number(run), record); });
}

Status SqliteRunWriter::appendPredictions(const RunId& run, std::int64_t evaluation,
                                          std::span<const StoredPrediction> rows)
{
    return durably([&] {
        if (m_database->integer("SELECT run FROM evaluations WHERE id = ?", evaluation) != number(run))
            throw StoreFailure(
                {ErrorCode::NotFound, "the run has no such evaluation", std::to_string(evaluation)});
        insertPredictions(*m_database, evaluation, rows);
    });
}

Status SqliteRunWriter::addExamples(std::span<const StoredExample> examples)
{
    return durably([&] { insertExamples(*m_database, examples); });
}

Result<std::int64_t> SqliteRunWriter::addCheckpoint(const RunId& run, const CheckpointRecord& c)
{
    return durably([&] {
        m_database->run(
            "INSERT INTO checkpoints (run, attempt, step, at_ms, bytes, path, manifest_hash, final) "
            "SELECT number, attempt, ?, ?, ?, ?, ?, ? FROM runs WHERE number = ?",
            c.step, c.at != 0 ? c.at : nowMilliseconds(), c.bytes, c.path, c.manifestHash, c.final,
            number(run));
        return m_database->lastInsertId();
    });
}

Status SqliteRunWriter::removeCheckpoint(const RunId& run, std::int64_t id)
{
    return durably(
        [&] { m_database->run("DELETE FROM checkpoints WHERE id = ? AND run = ?", id, number(run)); });
}

Result<std::vector<Control>> SqliteRunWriter::takeControls(const RunId& run)
{
    // Asked at every micro-batch: while a commit holds the connection the answer waits for the next one, not
    // the training thread for the disk. Reading never waits; that a control was taken is written by the
    // queue.
    const std::unique_lock lock(m_databaseMutex, kControlPatience);
    if (!lock.owns_lock())
        return std::vector<Control>();
    std::int64_t last = 0;
    auto controls = guarded([&] {
        std::vector<Control> found;
        Statement statement = m_database->prepare(
            "SELECT id, control FROM controls WHERE run = ? AND taken_ms IS NULL AND id > ? ORDER BY id");
        statement.bind(number(run)).bind(m_lastTaken[run]);
        while (statement.step()) {
            last = statement.integer(0);
            if (const auto control = controlFromId(statement.text(1)))
                found.push_back(*control);
        }
        return found;
    });
    if (last == 0)
        return controls;
    m_lastTaken[run] = last;
    if (const auto status = enqueue({run, Taken{last, nowMilliseconds()}}); !status.ok())
        return status.error();
    return controls;
}

Status SqliteRunWriter::flush()
{
    const std::scoped_lock lock(m_databaseMutex);
    return guarded([&] { writeWaiting(); });
}

} // namespace assay
