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
#include "ui/window_pages.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr int kLong = 60000; ///< ms; a busy machine loads a program slowly

QString programPath(const char* name)
{
    const char* folder = std::getenv("ASSAY_BIN_DIR");
    return QString::fromLocal8Bit(folder ? folder : ".") + QLatin1Char('/') + QString::fromLatin1(name);
}

struct Window
{
    Window(const StorePlace& place, SessionFactory session)
        : source(place)
        , controller(place, std::move(session))
        , main(makeMainWindow(source, controller, settings, *theme(), programPath("assay")))
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
    trainer.start(programPath("assay"), {"train", folder.filePath("experiment.json"), "--store", store});
    std::unique_ptr<RunReader> reader;
    RunId run;
    const auto begun = [&] {
        if (!reader)
            if (auto opened = RunReader::open(place); opened.ok())
                reader = std::move(opened).value();
        if (reader)
            if (const auto found = reader->findRun("last"); found.ok())
                run = *found;
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
        gui.start(programPath("assay-gui"), {"--store", store, "--run", QString::fromStdString(run)});
        QVERIFY(gui.waitForStarted());
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

QTEST_MAIN(TestAttachedRun)
#include "tst_attached_run.moc"
