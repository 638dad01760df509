#pragma once

#include "core/run/session.h"
#include "ui/threads/engine.h"

#include <QMetaType>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace assay {

class RunRelay;
class StoreWriter;

/// The window's only way to the engine: starts runs, posts controls, and turns what the engine thread reports
/// into signals of the GUI thread, at most ten times a second. No call blocks.
class RunController : public QObject
{
    Q_OBJECT

public:
    /// `makeSession` is `Session::create` in the program and a fake in tests.
    RunController(StorePlace place, SessionFactory makeSession, QObject* parent = nullptr);
    /// Stops a run in progress (it checkpoints and stays resumable) and waits for the threads.
    ~RunController() override;

    /// Trains in this process; waits while another run of this process is in progress.
    void start(const ExperimentConfig& config);
    /// Unpacks the built-in demo beside the store and trains it.
    void startDemo();
    void resume(const RunId& run);
    /// `checkpoint` 0 = newest; `dataPath` empty = the run's own evaluation rows.
    void evaluate(const RunId& run, qint64 checkpoint = 0, const QString& dataPath = {});
    /// Label checks and sizes; a newer call cancels the one before. Answers with preflightReady or
    /// preflightFailed.
    void probe(const ExperimentConfig& config);
    void cancelProbe();
    /// Memory and time of the run, from one optimiser step; a newer call or a newer probe cancels it. Answers
    /// with measured or measureFailed. The caller sees to it that no run is in progress: both need the
    /// device.
    void measure(const ExperimentConfig& config);

    using TokensThen = std::function<void(const Result<TokenView>&)>;
    /// A stored example laid out as the run did; `then` runs on the GUI thread while `context` lives.
    void requestTokens(const RunId& run, const std::string& exampleId, QObject* context, TokensThen then);
    /// A row of the training data of an experiment that need not have been run.
    void requestTokens(const ExperimentConfig& config, qint64 row, QObject* context, TokensThen then);

    /// Pause, resume, stop, evaluate now: a row of the controls table, for runs of this and of other
    /// processes.
    void postControl(const RunId& run, Control control);

    /// For what is no run: the jobs of other parts of the window.
    Engine& engine() { return *m_engine; }

    /// Whether a run or an evaluation of this process is in progress or waits.
    bool busy() const { return !m_jobs.empty(); }
    /// Runs and evaluations of this process that are in progress or wait.
    std::size_t jobs() const { return m_jobs.size(); }
    /// Those that wait for the one in progress.
    std::size_t waiting() const { return m_jobs.empty() ? 0 : m_jobs.size() - 1; }
    /// Run of this process that is in progress; empty = none.
    RunId currentRun() const { return m_currentRun; }
    /// For closing the window: stops the run in progress with a checkpoint and drops what waits; idle()
    /// follows.
    void stopAll();

Q_SIGNALS:
    void runStarted(const assay::RunDetails& run);
    void preflightDone(const assay::RunId& run, const assay::Report& report);
    void progressChanged(const assay::RunId& run, const assay::Progress& progress);
    void stepsDone(const assay::RunId& run, const std::vector<assay::StepRecord>& steps);
    void evaluationDone(const assay::RunId& run, const assay::EvaluationRecord& evaluation);
    void checkpointSaved(const assay::RunId& run, const assay::CheckpointRecord& checkpoint);
    void eventLogged(const assay::RunId& run, const assay::EventRecord& event);
    void runFinished(const assay::RunOutcome& outcome);
    /// `run` is empty when a new one failed before it had a row in the store.
    void runFailed(const assay::RunId& run, const assay::Error& error);
    /// Nothing is in progress in this process any more.
    void idle();

    void probeStarted();
    void preflightReady(const assay::Preflight& preflight);
    void preflightFailed(const assay::Error& error);
    void measured(const assay::StepProbe& probe);
    void measureFailed(const assay::Error& error);
    void controlFailed(const assay::RunId& run, const QString& message);

private:
    using Work = std::function<Result<RunOutcome>(Session&, RunObserver&, std::stop_token)>;
    /// A run or an evaluation, with what it has reported and nobody was told yet.
    struct Job
    {
        RunId run; ///< empty until a new run has its row
        std::shared_ptr<RunRelay> relay;
    };
    void runWork(const RunId& run, Work work);
    void drain();
    void finish(const Result<RunOutcome>& result);
    void deliverTokens(QPointer<QObject> context, TokensThen then, Result<TokenView> view);

    StorePlace m_place;
    RunId m_currentRun;
    std::deque<Job> m_jobs; ///< in the order the engine takes them; the first one is in progress
    quint64 m_probeNumber = 0, m_measureNumber = 0;
    std::stop_source m_probeStop, m_measureStop;
    QTimer m_drainTimer;
    std::unique_ptr<StoreWriter> m_controls; ///< its own, so that no pause waits behind an edit
    std::unique_ptr<Engine> m_engine;        // last: its thread must end before the rest
};

} // namespace assay

Q_DECLARE_METATYPE(assay::RunDetails)
Q_DECLARE_METATYPE(assay::Report)
Q_DECLARE_METATYPE(assay::Progress)
Q_DECLARE_METATYPE(assay::StepRecord)
Q_DECLARE_METATYPE(std::vector<assay::StepRecord>)
Q_DECLARE_METATYPE(assay::EvaluationRecord)
Q_DECLARE_METATYPE(assay::CheckpointRecord)
Q_DECLARE_METATYPE(assay::EventRecord)
Q_DECLARE_METATYPE(assay::RunOutcome)
Q_DECLARE_METATYPE(assay::Preflight)
Q_DECLARE_METATYPE(assay::StepProbe)
Q_DECLARE_METATYPE(assay::Error)
