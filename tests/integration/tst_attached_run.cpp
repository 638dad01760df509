// The window and runs of other processes, with the real programs: watched and controlled through the store,
// while windows come and go; and a run of the window's own that goes on without it.
#include "core/config/json.h"
#include "core/run/session.h"
#include "core/store/sqlite/process_identity.h"
#include "tests/support/idle_session.h"
#include "tests/support/long_run.h"
#include "tests/support/program.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"
#include "ui/widgets/banner.h"
#include "ui/window_pages.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr int kLong = 60000; ///< ms; a busy machine loads a program slowly

const QString kTrainsInWindow = QStringLiteral("--trains-in-window");

/// Whether a process has the store's database open.
bool holdsStore(qint64 process)
{
    const QDir files(QStringLiteral("/proc/%1/fd").arg(process));
    const auto names = files.entryList(QDir::Files | QDir::System);
    return std::any_of(names.begin(), names.end(), [&files](const QString& name) {
        return QFile::symLinkTarget(files.filePath(name)).endsWith(QStringLiteral("assay.db"));
    });
}

/// Opens the store and takes its newest run as soon as another process has made them.
void lookForRun(const StorePlace& place, std::unique_ptr<RunReader>& reader, RunId& run)
{
    if (!reader)
        if (auto opened = RunReader::open(place); opened.ok())
            reader = std::move(opened).value();
    if (reader)
        if (const auto found = reader->findRun("last"); found.ok())
            run = *found;
}

struct Window
{
    Window(const StorePlace& place, SessionFactory session)
        : source(place)
        , controller(place, std::move(session))
        , main(makeMainWindow(source, controller, settings, *theme(), tests::programPath()))
    {
        main->show();
    }
    static Theme* theme()
    {
        static Theme* made = new Theme(*qApp, ThemeChoice::Light);
        return made;
    }
    void open(const RunId& run) const
    {
        main->page(QStringLiteral("run"))->showRun(QString::fromStdString(run), 0);
        main->openPage(QStringLiteral("run"));
    }
    /// Presses a command of the run as soon as it can be pressed.
    void press(const char* id) const
    {
        auto* action = main->actions().find(QString::fromLatin1(id));
        QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), kLong);
        action->trigger();
    }
    QString label(const char* name) const
    {
        return main->findChild<QLabel*>(QString::fromLatin1(name))->text();
    }

    UiSettings settings{QString()};
    StoreSource source;
    RunController controller;
    std::unique_ptr<MainWindow> main;
};

} // namespace

class TestAttachedRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunOfAnotherProcess();
    void aRunGoesOnWithoutItsWindow();
    void aWindowThatIsKilledLeavesARunToResume();

private:
    static std::unique_ptr<Session> idle() { return std::make_unique<tests::IdleSession>(); }
};

void TestAttachedRun::aRunOfAnotherProcess()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    const StorePlace place{root / "store"};
    std::ofstream(root / "experiment.json") << configToJson(tests::smallLongRun(root / "rows.jsonl"));
    const QString store = QString::fromStdString(place.folder.string());
    QProcess trainer;
    trainer.start(tests::programPath(), {"train", folder.filePath("experiment.json"), "--store", store});
    std::unique_ptr<RunReader> reader;
    RunId run;
    const auto begun = [&] {
        lookForRun(place, reader, run);
        return !run.empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(begun(), kLong);
    const auto summary = [&] { return reader->run(run).value().summary; };

    {
        // A window that is killed while it shows the run takes nothing with it.
        QProcess gui;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        gui.setProcessEnvironment(environment);
        gui.start(tests::programPath(QStringLiteral("assay-gui")),
                  {"--store", store, "--run", QString::fromStdString(run)});
        QVERIFY(gui.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(holdsStore(gui.processId()), kLong);
        const auto seen = summary().step;
        QTRY_VERIFY_WITH_TIMEOUT(summary().step > seen + 20, kLong);
        QCOMPARE(gui.state(), QProcess::Running);
        gui.kill();
        QVERIFY(gui.waitForFinished());
        QVERIFY_RESULT(reader->integrityCheck());
        const auto left = summary().step;
        QTRY_VERIFY_WITH_TIMEOUT(summary().step > left + 5, kLong);
    }

    auto window = std::make_unique<Window>(place, idle);
    window->open(run);
    QTRY_VERIFY_WITH_TIMEOUT(window->label("run.status").startsWith(QStringLiteral("Running")), kLong);
    QTRY_VERIFY(window->main->findChild<QLabel*>(QStringLiteral("run.facts"))
                    ->toolTip()
                    .contains(QStringLiteral("process %1").arg(trainer.processId())));
    window->press("run.pause");
    QTRY_VERIFY_WITH_TIMEOUT(summary().status == RunStatus::Paused, kLong);
    QTRY_COMPARE_WITH_TIMEOUT(window->label("run.status"), QStringLiteral("Paused"), kLong);
    const auto pausedAt = summary().step;

    window.reset();
    window = std::make_unique<Window>(place, idle);
    window->open(run);
    QTRY_COMPARE_WITH_TIMEOUT(window->label("run.status"), QStringLiteral("Paused"), kLong);
    QVERIFY(summary().step <= pausedAt + 1);
    window->press("run.continue");
    QTRY_VERIFY_WITH_TIMEOUT(summary().step > pausedAt + 5, kLong);
    const auto evaluations = reader->evaluations(run)->size();
    window->press("run.evaluate");
    QTRY_VERIFY_WITH_TIMEOUT(reader->evaluations(run)->size() > evaluations, kLong);
    window->press("run.stop");
    QVERIFY(trainer.waitForFinished(kLong));
    QCOMPARE(trainer.exitCode(), 11); // cancelled: saved, can be resumed
    QCOMPARE(summary().status, RunStatus::Stopped);
    QVERIFY(!reader->checkpoints(run)->empty());
    QTRY_COMPARE_WITH_TIMEOUT(window->label("run.status"), QStringLiteral("Stopped"), kLong);
    QVERIFY(!window->controller.busy());
}

void TestAttachedRun::aRunGoesOnWithoutItsWindow()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    const StorePlace place{root / "store"};
    Window window(place, [place] { return Session::create(place); });
    window.controller.start(tests::smallLongRun(root / "rows.jsonl"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller.currentRun().empty(), kLong);
    const RunId run = window.controller.currentRun();
    const auto reader = RunReader::open(place).value();
    const auto summary = [&] { return reader->run(run).value().summary; };
    QTRY_VERIFY_WITH_TIMEOUT(summary().step > 5, kLong);
    QCOMPARE(summary().process, QCoreApplication::applicationPid());

    QVERIFY(!window.main->close());
    window.main->findChild<QAbstractButton*>(QStringLiteral("closeQuestion.background"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(!window.main->isVisible(), kLong);
    QVERIFY(!window.controller.busy());
    const auto process = summary().process;
    QVERIFY(process != QCoreApplication::applicationPid() && processRuns(process));
    QCOMPARE(summary().status, RunStatus::Running);
    QCOMPARE(reader->runs({})->total, std::int64_t{1}); // the same run, under its id
    const auto taken = summary().step;
    QTRY_VERIFY_WITH_TIMEOUT(summary().step > taken + 5, kLong);
    const auto steps = reader->steps(run, 0, 100000);
    QVERIFY_RESULT(steps);
    for (std::size_t i = 0; i < steps->size(); ++i)
        QCOMPARE((*steps)[i].step, static_cast<std::int64_t>(i) + 1); // none lost, none twice
    QVERIFY(steps->back().attempt > steps->front().attempt);

    QVERIFY_RESULT(RunEditor::open(place).value()->postControl(run, Control::Stop));
    QTRY_VERIFY_WITH_TIMEOUT(summary().status == RunStatus::Stopped, kLong);
    QTRY_VERIFY_WITH_TIMEOUT(!processRuns(process), kLong);
}

void TestAttachedRun::aWindowThatIsKilledLeavesARunToResume()
{
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    const StorePlace place{root / "store"};
    auto config = tests::smallLongRun(root / "rows.jsonl");
    config.checkpoint.everySteps = 10;
    std::ofstream(root / "experiment.json") << configToJson(config);
    QProcess window;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    window.setProcessEnvironment(environment);
    window.start(
        QCoreApplication::applicationFilePath(),
        {kTrainsInWindow, QString::fromStdString(place.folder.string()), folder.filePath("experiment.json")});
    std::unique_ptr<RunReader> reader;
    RunId run;
    const auto saved = [&] {
        lookForRun(place, reader, run);
        return !run.empty() && !reader->checkpoints(run).value().empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(saved(), kLong);
    const auto summary = [&] { return reader->run(run).value().summary; };
    QTRY_VERIFY_WITH_TIMEOUT(summary().step > 25, kLong);
    QCOMPARE(summary().process, window.processId());
    QCOMPARE(window.state(), QProcess::Running);
    window.kill();
    QVERIFY(window.waitForFinished());
    QVERIFY_RESULT(reader->integrityCheck());
    const auto before = reader->steps(run, 0, 100000);
    QVERIFY_RESULT(before);
    const auto checkpoint = reader->checkpoints(run).value().back().step;

    Window reopened(place, [place] { return Session::create(place); });
    reopened.open(run);
    QTRY_COMPARE_WITH_TIMEOUT(reopened.label("run.status"), QStringLiteral("Interrupted"), kLong);
    QCOMPARE(summary().status, RunStatus::Interrupted);
    const auto* trouble = reopened.main->findChild<Banner*>(QStringLiteral("trouble"));
    QTRY_VERIFY(trouble->isVisible() && trouble->sentence().contains(QStringLiteral("interrupted")));
    reopened.press("run.resume");
    QTRY_VERIFY_WITH_TIMEOUT(summary().step > before->back().step + 5, kLong);
    QTRY_VERIFY_WITH_TIMEOUT(reopened.label("run.status").startsWith(QStringLiteral("Running")), kLong);
    reopened.press("run.stop");
    QTRY_COMPARE_WITH_TIMEOUT(summary().status, RunStatus::Stopped, kLong);
    QTRY_VERIFY_WITH_TIMEOUT(!reopened.controller.busy(), kLong);
    // The first attempt keeps what it had acknowledged; the second begins behind the checkpoint.
    const auto after = reader->steps(run, 0, 100000);
    QVERIFY_RESULT(after);
    for (std::size_t i = 0; i < after->size(); ++i)
        QCOMPARE((*after)[i].step, static_cast<std::int64_t>(i) + 1);
    const auto again = std::find_if(after->begin(), after->end(), [&](const StepRecord& step) {
        return step.attempt > before->front().attempt;
    });
    QVERIFY(again != after->end());
    QCOMPARE(again->step, checkpoint + 1);
    for (const auto& step : *before)
        QCOMPARE((*after)[static_cast<std::size_t>(step.step - 1)].loss, step.loss); // bit for bit
}

namespace {

/// The process that the last test kills: a window that trains.
int trainInWindow(const QString& store, const QString& experiment)
{
    const StorePlace place{store.toStdString()};
    const auto config = readExperiment(experiment.toStdString());
    if (!config)
        return 2;
    Window window(place, [place] { return Session::create(place); });
    window.controller.start(*config);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QStringList words = QApplication::arguments();
    if (words.size() == 4 && words[1] == kTrainsInWindow)
        return trainInWindow(words[2], words[3]);
    TestAttachedRun test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_attached_run.moc"
