// The window's door to the engine with the real session behind it: train, pause, look at tokens, go on, stop.
#include "core/run/session.h"
#include "tests/support/long_run.h"
#include "tests/support/test_data.h"
#include "ui/run_controller.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;
namespace fs = std::filesystem;

class TestWindowTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trainsPausesAndStops()
    {
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        const StorePlace place{root / "store"};
        RunController controller(place, [place] { return Session::create(place); });
        QSignalSpy started(&controller, &RunController::runStarted),
            evaluations(&controller, &RunController::evaluationDone),
            finished(&controller, &RunController::runFinished),
            failed(&controller, &RunController::runFailed);
        std::int64_t lastStep = 0;
        connect(&controller, &RunController::stepsDone, this,
                [&](const RunId&, const std::vector<StepRecord>& steps) { lastStep = steps.back().step; });
        controller.start(tests::smallLongRun(root / "rows.jsonl"));
        QTRY_COMPARE_WITH_TIMEOUT(started.count() + failed.count(), 1, 30000);
        QCOMPARE(failed.count(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(lastStep > 5 && evaluations.count() > 0, 30000);

        const auto run = controller.currentRun();
        const auto reader = RunReader::open(place).value();
        controller.postControl(run, Control::Pause);
        QTRY_VERIFY_WITH_TIMEOUT(reader->run(run)->summary.status == RunStatus::Paused, 10000);
        const auto evaluation = reader->evaluations(run)->back().id;
        const auto example = reader->solutions({.evaluation = evaluation})->rows.front().exampleId;
        bool tokens = false;
        controller.requestTokens(run, example, this, [&](const Result<TokenView>& view) {
            tokens = view.ok() && !view->tokens.empty();
        });
        QTRY_VERIFY_WITH_TIMEOUT(tokens, 10000);
        const auto pausedAt = lastStep;
        QTest::qWait(300);
        QVERIFY(lastStep <= pausedAt + 1);
        controller.postControl(run, Control::Resume);
        QTRY_VERIFY_WITH_TIMEOUT(lastStep > pausedAt + 3, 10000);
        controller.postControl(run, Control::Stop);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30000);
        QCOMPARE(reader->run(run)->summary.status, RunStatus::Stopped);
        QVERIFY(!reader->checkpoints(run)->empty());

        controller.resume(run);
        QTRY_COMPARE_WITH_TIMEOUT(started.count(), 2, 30000);
        controller.stopAll();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30000);
    }
};

QTEST_GUILESS_MAIN(TestWindowTraining)
#include "tst_window_training.moc"
