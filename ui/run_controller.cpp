#include "ui/run_controller.h"

#include "core/text/demo_experiment.h"
#include "ui/threads/store_writer.h"

#include <mutex>
#include <optional>
#include <utility>

namespace assay {

namespace {

constexpr int kDrainMilliseconds = 100; // ten updates a second at most

void registerTypes()
{
    qRegisterMetaType<RunId>("assay::RunId");
    qRegisterMetaType<RunDetails>();
    qRegisterMetaType<Report>();
    qRegisterMetaType<Progress>();
    qRegisterMetaType<StepRecord>();
    qRegisterMetaType<std::vector<StepRecord>>();
    qRegisterMetaType<EvaluationRecord>();
    qRegisterMetaType<CheckpointRecord>();
    qRegisterMetaType<EventRecord>();
    qRegisterMetaType<RunOutcome>();
    qRegisterMetaType<Preflight>();
    qRegisterMetaType<StepProbe>();
    qRegisterMetaType<Error>();
}

} // namespace

/// Collects on the engine thread what the GUI thread picks up at the next drain. Steps and events add up, of
/// the progress only the newest counts. Every job has its own: the engine begins the next one before the GUI
/// thread has heard all of the one before.
class RunRelay : public RunObserver
{
public:
    struct Batch
    {
        std::optional<RunDetails> started;
        std::optional<Report> preflight;
        std::optional<Progress> progress;
        std::vector<StepRecord> steps;
        std::vector<EvaluationRecord> evaluations;
        std::vector<CheckpointRecord> checkpoints;
        std::vector<EventRecord> events;
    };

    /// `between` runs on the engine thread at every micro-batch boundary: the moment for short jobs.
    explicit RunRelay(std::function<void()> between)
        : m_between(std::move(between))
    {}

    Batch take()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_batch, Batch{});
    }

    void runStarted(const RunDetails& run) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.started = run;
    }
    void preflightDone(const Report& report) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.preflight = report;
    }
    void progress(const Progress& value) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.progress = value;
    }
    void stepDone(const StepRecord& step) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.steps.push_back(step);
    }
    void evaluationDone(const EvaluationRecord& evaluation) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.evaluations.push_back(evaluation);
    }
    void checkpointSaved(const CheckpointRecord& checkpoint) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.checkpoints.push_back(checkpoint);
    }
    void event(const EventRecord& value) override
    {
        const std::lock_guard lock(m_mutex);
        m_batch.events.push_back(value);
    }
    void boundary() override { m_between(); }

private:
    std::mutex m_mutex;
    Batch m_batch;
    std::function<void()> m_between;
};

RunController::RunController(StorePlace place, SessionFactory makeSession, QObject* parent)
    : QObject(parent)
    , m_place(place)
    , m_controls(std::make_unique<StoreWriter>(place))
    , m_engine(std::make_unique<Engine>(std::move(makeSession)))
{
    registerTypes();
    m_drainTimer.setInterval(kDrainMilliseconds);
    connect(&m_drainTimer, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController()
{
    m_probeStop.request_stop();
    m_measureStop.request_stop();
    m_engine.reset();
    m_controls.reset();
}

void RunController::runWork(const RunId& run, Work work)
{
    auto relay = std::make_shared<RunRelay>([engine = m_engine.get()] { engine->yieldToShortJobs(); });
    m_jobs.push_back({run, relay});
    m_drainTimer.start();
    m_engine->runLong(
        [this, relay = std::move(relay), work = std::move(work)](Session& session, std::stop_token stop) {
            auto result = work(session, *relay, std::move(stop));
            // `this` outlives the engine thread; an event posted to a controller that is going away is
            // dropped by Qt.
            QMetaObject::invokeMethod(
                this, [this, result = std::move(result)] { finish(result); }, Qt::QueuedConnection);
        });
}

void RunController::start(const ExperimentConfig& config)
{
    runWork({}, [config](Session& session, RunObserver& observer, std::stop_token stop) {
        return session.train(config, observer, std::move(stop));
    });
}

void RunController::startDemo()
{
    runWork({},
            [folder = m_place.folder / "demo" / "seed-0"](Session& session, RunObserver& observer,
                                                          std::stop_token stop) -> Result<RunOutcome> {
                TRY(const auto config, unpackDemo(folder));
                return session.train(config, observer, std::move(stop));
            });
}

void RunController::resume(const RunId& run)
{
    runWork(run, [run](Session& session, RunObserver& observer, std::stop_token stop) {
        return session.resume(run, observer, std::move(stop));
    });
}

void RunController::evaluate(const RunId& run, qint64 checkpoint, const QString& dataPath)
{
    runWork(run,
            [run, checkpoint, path = dataPath.toStdString()](Session& session, RunObserver& observer,
                                                             std::stop_token stop) -> Result<RunOutcome> {
                TRY(auto evaluation, session.evaluate(run, checkpoint, path, observer, std::move(stop)));
                RunOutcome outcome;
                outcome.run = run;
                outcome.step = evaluation.step;
                outcome.seconds = evaluation.seconds;
                outcome.lastEvaluation = std::move(evaluation);
                return outcome;
            });
}

void RunController::drain()
{
    if (m_jobs.empty())
        return;
    const auto batch = m_jobs.front().relay->take();
    if (batch.started) {
        m_currentRun = batch.started->summary.id;
        m_jobs.front().run = m_currentRun;
        Q_EMIT runStarted(*batch.started);
    }
    const RunId run = m_jobs.front().run; // whoever hears a signal may start the next job
    if (batch.preflight)
        Q_EMIT preflightDone(run, *batch.preflight);
    if (batch.progress)
        Q_EMIT progressChanged(run, *batch.progress);
    if (!batch.steps.empty())
        Q_EMIT stepsDone(run, batch.steps);
    for (const auto& evaluation : batch.evaluations)
        Q_EMIT evaluationDone(run, evaluation);
    for (const auto& checkpoint : batch.checkpoints)
        Q_EMIT checkpointSaved(run, checkpoint);
    for (const auto& event : batch.events)
        Q_EMIT eventLogged(run, event);
}

void RunController::finish(const Result<RunOutcome>& result)
{
    drain();
    m_currentRun.clear();
    const RunId run = m_jobs.front().run; // jobs end in the order they were begun
    m_jobs.pop_front();
    if (m_jobs.empty())
        m_drainTimer.stop();
    if (result.ok())
        Q_EMIT runFinished(*result);
    else
        Q_EMIT runFailed(run, result.error());
    if (m_jobs.empty())
        Q_EMIT idle();
}

void RunController::probe(const ExperimentConfig& config)
{
    cancelProbe();
    const quint64 number = m_probeNumber;
    Q_EMIT probeStarted();
    m_engine->runShort([this, config, number, stop = m_probeStop.get_token()](Session& session) {
        if (stop.stop_requested())
            return;
        auto result = session.probe(config, stop);
        const auto answer = [this, number, result = std::move(result)] {
            if (number != m_probeNumber)
                return;
            if (result.ok())
                Q_EMIT preflightReady(*result);
            else
                Q_EMIT preflightFailed(result.error());
        };
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
    });
}

void RunController::cancelProbe()
{
    m_probeStop.request_stop();
    m_probeStop = std::stop_source();
    ++m_probeNumber;
    m_measureStop.request_stop();
    m_measureStop = std::stop_source();
    ++m_measureNumber;
}

void RunController::measure(const ExperimentConfig& config)
{
    m_measureStop.request_stop();
    m_measureStop = std::stop_source();
    const quint64 number = ++m_measureNumber;
    m_engine->runShort([this, config, number, stop = m_measureStop.get_token()](Session& session) {
        if (stop.stop_requested())
            return;
        auto result = session.measure(config, stop);
        const auto answer = [this, number, result = std::move(result)] {
            if (number != m_measureNumber)
                return;
            if (result.ok())
                Q_EMIT measured(*result);
            else
                Q_EMIT measureFailed(result.error());
        };
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
    });
}

void RunController::deliverTokens(QPointer<QObject> context, TokensThen then, Result<TokenView> view)
{
    const auto answer = [context = std::move(context), then = std::move(then), view = std::move(view)] {
        if (context)
            then(view);
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
}

void RunController::requestTokens(const RunId& run, const std::string& exampleId, QObject* context,
                                  TokensThen then)
{
    m_engine->runShort([this, run, exampleId, context = QPointer<QObject>(context),
                        then = std::move(then)](Session& session) {
        deliverTokens(context, then, session.tokenView(run, exampleId));
    });
}

void RunController::requestTokens(const ExperimentConfig& config, qint64 row, QObject* context,
                                  TokensThen then)
{
    m_engine->runShort(
        [this, config, row, context = QPointer<QObject>(context), then = std::move(then)](Session& session) {
            deliverTokens(context, then, session.tokenView(config, row));
        });
}

void RunController::postControl(const RunId& run, Control control)
{
    m_controls->post([this, run, control](const Result<RunEditor*>& editor) {
        const Status status = editor.ok() ? (*editor)->postControl(run, control) : Status(editor.error());
        if (status.ok())
            return;
        const auto message = QString::fromStdString(status.error().text());
        QMetaObject::invokeMethod(
            this, [this, run, message] { Q_EMIT controlFailed(run, message); }, Qt::QueuedConnection);
    });
}

void RunController::stopAll()
{
    // What the engine drops are the jobs that it has not begun: the last ones.
    m_jobs.resize(m_jobs.size() - m_engine->stopAll());
}

} // namespace assay
