// Signals of the controller over a session without tensors.
#include "tests/support/fake_session.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/run_controller.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

class tst_run_controller : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void runTellsEverything();
    void updatesAreCoalesced();
    void failureIsTold();
    void runsWaitForEachOther();
    void everyJobReportsForItself();
    void failureOfOneIsNotThatOfTheNext();
    void stopAllEndsAndDrops();
    void tokensComeDuringTraining();
    void newerProbeWins();
    void answerWithoutContextIsDropped();
    void controlsReachTheStore();
    void destructionStopsARun();

private:
    std::unique_ptr<RunController> controller(const QString& folder = {})
    {
        StorePlace place{(folder.isEmpty() ? m_folder.path() : folder).toStdString()};
        return std::make_unique<RunController>(
            place, [state = m_state] { return std::make_unique<FakeSession>(state); });
    }

    QTemporaryDir m_folder;
    std::shared_ptr<FakeSessionState> m_state;
};

void tst_run_controller::init()
{
    m_state = std::make_shared<FakeSessionState>();
}

void tst_run_controller::runTellsEverything()
{
    m_state->steps = 20;
    const auto object = controller();
    QSignalSpy started(object.get(), &RunController::runStarted),
        finished(object.get(), &RunController::runFinished), idle(object.get(), &RunController::idle);
    std::int64_t steps = 0, last = 0;
    connect(object.get(), &RunController::stepsDone, this,
            [&](const RunId& run, const std::vector<StepRecord>& records) {
                QCOMPARE(run, RunId("0123456789ab"));
                for (const auto& record : records) {
                    QCOMPARE(record.step, last + 1);
                    last = record.step;
                    ++steps;
                }
            });
    ExperimentConfig config;
    config.run.name = "told";
    object->start(config);
    QVERIFY(object->busy());
    QTRY_COMPARE(idle.count(), 1);
    QCOMPARE(started.count(), 1);
    QCOMPARE(finished.count(), 1);
    QCOMPARE(steps, std::int64_t{20});
    QCOMPARE(m_state->trainedConfig().run.name, std::string("told"));
    QVERIFY(!object->busy());
    QVERIFY(object->currentRun().empty());
}

void tst_run_controller::updatesAreCoalesced()
{
    m_state->steps = 400;
    m_state->stepMilliseconds = 2;
    const auto object = controller();
    QSignalSpy batches(object.get(), &RunController::stepsDone),
        progress(object.get(), &RunController::progressChanged), idle(object.get(), &RunController::idle);
    QElapsedTimer clock;
    clock.start();
    object->start({});
    QTRY_COMPARE_WITH_TIMEOUT(idle.count(), 1, 60000);
    const auto most = clock.elapsed() / 100 + 2;
    QVERIFY2(batches.count() <= most, qPrintable(QString::number(batches.count())));
    QVERIFY2(progress.count() <= most, qPrintable(QString::number(progress.count())));
    QVERIFY(batches.count() >= 2);
}

void tst_run_controller::failureIsTold()
{
    m_state->failTraining = true;
    const auto object = controller();
    QSignalSpy failed(object.get(), &RunController::runFailed),
        finished(object.get(), &RunController::runFinished);
    object->start({});
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].value<RunId>().empty());
    QCOMPARE(failed[0][1].value<Error>().message, std::string("the file is empty"));
    QCOMPARE(finished.count(), 0);
}

void tst_run_controller::runsWaitForEachOther()
{
    m_state->steps = 5;
    m_state->stepMilliseconds = 5;
    const auto object = controller();
    QSignalSpy finished(object.get(), &RunController::runFinished), idle(object.get(), &RunController::idle);
    object->start({});
    object->start({});
    object->evaluate("0123456789ab");
    QTRY_COMPARE(idle.count(), 1);
    QCOMPARE(finished.count(), 3);
    QCOMPARE(m_state->trained.load(), 2);
}

void tst_run_controller::everyJobReportsForItself()
{
    m_state->steps = 3;
    const auto object = controller();
    QStringList told;
    const auto tell = [&told](const char* what, const RunId& run) {
        told << QLatin1String(what) + QLatin1Char(' ') + QString::fromStdString(run);
    };
    connect(object.get(), &RunController::runStarted, this,
            [&](const RunDetails& run) { tell("began", run.summary.id); });
    connect(object.get(), &RunController::stepsDone, this,
            [&](const RunId& run, const std::vector<StepRecord>& steps) {
                tell("steps", run);
                QCOMPARE(steps.size(), std::size_t(3));
            });
    connect(object.get(), &RunController::evaluationDone, this,
            [&](const RunId& run, const EvaluationRecord&) { tell("evaluated", run); });
    connect(object.get(), &RunController::runFinished, this,
            [&](const RunOutcome& outcome) { tell("ended", outcome.run); });
    object->start({});
    object->start({});
    object->evaluate("feedfeedfeed");
    // All of it is over before this thread hears of anything.
    while (m_state->evaluated == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    QTRY_VERIFY(!object->busy());
    const QStringList expected{"began 0123456789ab",     "steps 0123456789ab", "ended 0123456789ab",
                               "began 0123456789ac",     "steps 0123456789ac", "ended 0123456789ac",
                               "evaluated feedfeedfeed", "ended feedfeedfeed"};
    QCOMPARE(told, expected);
}

void tst_run_controller::failureOfOneIsNotThatOfTheNext()
{
    m_state->failTraining = true;
    const auto object = controller();
    QSignalSpy failed(object.get(), &RunController::runFailed),
        finished(object.get(), &RunController::runFinished);
    object->start({});
    while (m_state->trained == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // it has seen that it fails
    m_state->failTraining = false;
    m_state->steps = 2;
    object->start({});
    while (m_state->trained == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(finished[0][0].value<RunOutcome>().run, RunId("0123456789ac"));
    QCOMPARE(failed.count(), 1);
    QVERIFY2(failed[0][0].value<RunId>().empty(), "it never had a row in the store");
}

void tst_run_controller::stopAllEndsAndDrops()
{
    m_state->steps = 100000;
    m_state->stepMilliseconds = 2;
    const auto object = controller();
    QSignalSpy finished(object.get(), &RunController::runFinished), idle(object.get(), &RunController::idle);
    object->start({});
    object->start({});
    QTRY_VERIFY(m_state->training.load());
    object->stopAll();
    QTRY_COMPARE(idle.count(), 1);
    QCOMPARE(finished.count(), 1);
    QCOMPARE(finished[0][0].value<RunOutcome>().status, RunStatus::Stopped);
    QCOMPARE(m_state->trained.load(), 1);
}

void tst_run_controller::tokensComeDuringTraining()
{
    m_state->steps = 100000;
    m_state->stepMilliseconds = 2;
    const auto object = controller();
    object->start({});
    QTRY_VERIFY(m_state->training.load());
    std::string text;
    object->requestTokens("0123456789ab", "an example", this,
                          [&text](const Result<TokenView>& view) { text = view->tokens[0].text; });
    QTRY_COMPARE(text, std::string("an example"));
    QCOMPARE(m_state->tokenViewsInTraining.load(), 1);
    QVERIFY(m_state->training.load());
    object->stopAll();
}

void tst_run_controller::newerProbeWins()
{
    m_state->probeMilliseconds = 300;
    Preflight preflight;
    preflight.trainExamples = 5;
    m_state->setPreflight(preflight);
    const auto object = controller();
    QSignalSpy ready(object.get(), &RunController::preflightReady),
        failed(object.get(), &RunController::preflightFailed);
    object->probe({});
    QTRY_COMPARE(m_state->probed.load(), 1);
    object->probe({});
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(m_state->probesCancelled.load(), 1);
    QCOMPARE(ready[0][0].value<Preflight>().trainExamples, std::int64_t{5});
    QTest::qWait(50);
    QCOMPARE(ready.count(), 1);
    QCOMPARE(failed.count(), 0);
}

void tst_run_controller::answerWithoutContextIsDropped()
{
    const auto object = controller();
    auto context = std::make_unique<QObject>();
    bool called = false;
    object->requestTokens(ExperimentConfig{}, 0, context.get(),
                          [&called](const Result<TokenView>&) { called = true; });
    context.reset();
    QTRY_COMPARE(m_state->tokenViews.load(), 1);
    QTest::qWait(50);
    QVERIFY(!called);
}

void tst_run_controller::controlsReachTheStore()
{
    const QString folder = m_folder.filePath("controls");
    const auto store = fillSampleStore(folder.toStdString());
    QVERIFY_RESULT(store);
    {
        const auto object = controller(folder);
        object->postControl(store->full, Control::Pause);
        object->postControl(store->full, Control::EvaluateNow);
    } // writes what waits
    auto writer = RunWriter::open(store->place);
    QVERIFY_RESULT(writer);
    const auto controls = (*writer)->takeControls(store->full);
    QVERIFY_RESULT(controls);
    QCOMPARE(controls->size(), std::size_t{2});
    QCOMPARE((*controls)[0], Control::Pause);
    QCOMPARE((*controls)[1], Control::EvaluateNow);
}

void tst_run_controller::destructionStopsARun()
{
    m_state->steps = 100000;
    m_state->stepMilliseconds = 2;
    auto object = controller();
    object->start({});
    QTRY_VERIFY(m_state->training.load());
    object.reset();
    QVERIFY(!m_state->training.load());
}

QTEST_GUILESS_MAIN(tst_run_controller)
#include "tst_run_controller.moc"
