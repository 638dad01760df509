// Closing the window while a run of this process is in progress: over a session without tensors.
#include "tests/support/fake_session.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/edits/edit_line.h"
#include "ui/experiment/config_form.h"
#include "ui/pages/experiment_page.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"
#include "ui/window_pages.h"

#include <QAbstractButton>
#include <QApplication>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QtTest/QTest>

using namespace assay;

namespace {

struct Opened
{
    Opened(const StorePlace& place, std::shared_ptr<tests::FakeSessionState> state, const QString& program)
        : source(place)
        , controller(place, [state] { return std::make_unique<tests::FakeSession>(state); })
        , window(makeMainWindow(source, controller, settings, *theme(), program))
    {
        window->show();
    }
    static Theme* theme()
    {
        static Theme* made = new Theme(*qApp, ThemeChoice::Light);
        return made;
    }
    QWidget* question() const { return window->findChild<QWidget*>(QStringLiteral("closeQuestion")); }
    QAbstractButton* button(const char* name) const
    {
        return question()->findChild<QAbstractButton*>(QStringLiteral("closeQuestion.") +
                                                       QString::fromLatin1(name));
    }

    UiSettings settings{QString()};
    StoreSource source;
    RunController controller;
    std::unique_ptr<MainWindow> window;
};

} // namespace

class TestClosing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto filled = tests::fillSampleStore(m_folder->path().toStdString() + "/store");
        QVERIFY_RESULT(filled);
        m_place = filled->place;
        m_state = std::make_shared<tests::FakeSessionState>();
        m_state->steps = 1'000'000;
        m_state->stepMilliseconds = 2;
    }

    void anIdleWindowClosesAtOnce()
    {
        Opened opened(m_place, m_state, {});
        QVERIFY(opened.window->close());
    }

    void aWindowGoesAwayWithAnEditedExperimentInFront()
    {
        Opened opened(m_place, m_state, {});
        opened.window->openPage(QStringLiteral("experiment"));
        auto* page = static_cast<ExperimentPage*>(opened.window->page(QStringLiteral("experiment")));
        page->form().setField(QStringLiteral("schedule.epochs"), QStringLiteral("7"));
        QVERIFY(page->undoStack()->canUndo());
        QVERIFY(opened.window->close());
        opened.window.reset(); // no crash on the way
        QVERIFY(!opened.controller.busy());
    }

    void stopAndCloseStopsFirst()
    {
        Opened opened(m_place, m_state, {});
        start(opened);
        opened.controller.start({}); // waits
        QVERIFY(!opened.window->close());
        QVERIFY(opened.question()->isVisible());
        QVERIFY(opened.question()->accessibleDescription().contains(QStringLiteral("1 more")));
        opened.button("yes")->click();
        QTRY_VERIFY(!opened.window->isVisible());
        QVERIFY(!m_state->training.load());
        QCOMPARE(m_state->trained.load(), 1);
    }

    void cancelChangesNothing()
    {
        Opened opened(m_place, m_state, {});
        start(opened);
        QVERIFY(!opened.window->close());
        opened.button("stay")->click();
        QVERIFY(opened.window->isVisible() && !opened.question()->isVisible());
        QVERIFY(m_state->training.load());
        QVERIFY(!opened.window->close()); // asks again
        QVERIFY(opened.question()->isVisible());
        opened.controller.stopAll();
    }

    void aRunThatEndedMeanwhileDoesNotHoldTheWindow()
    {
        Opened opened(m_place, m_state, {});
        start(opened);
        QVERIFY(!opened.window->close());
        m_state->steps = 0;
        QTRY_VERIFY(!opened.controller.busy());
        opened.button("background")->click();
        QTRY_VERIFY(!opened.window->isVisible());
    }

    void aBackgroundThatDoesNotStartKeepsTheWindow_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such program")
            << QStringLiteral("/nowhere/assay") << QStringLiteral("/nowhere/assay");
        QTest::newRow("ends without a word")
            << QStringLiteral("/bin/false") << QStringLiteral("without a word");
        // It says what it was called with, and ends: the last line is what people get to see.
        QTest::newRow("ends with a word")
            << QStringLiteral("/bin/echo") << QStringLiteral("resume 0123456789ab");
    }

    void aBackgroundThatDoesNotStartKeepsTheWindow()
    {
        QFETCH(QString, program);
        QFETCH(QString, says);
        Opened opened(m_place, m_state, program);
        start(opened);
        QVERIFY(!opened.window->close());
        QVERIFY(opened.button("background")->isVisible());
        opened.button("background")->click();
        auto* line = opened.window->findChild<EditLine*>();
        QTRY_VERIFY2(line->sentence().contains(says), qPrintable(line->sentence()));
        QVERIFY(line->sentence().contains(QStringLiteral("stopped, with a checkpoint")));
        QVERIFY(opened.window->isVisible() && !opened.question()->isVisible());
        QVERIFY(opened.window->close()); // nothing is in progress any more
    }

    void whatHasNoRunYetCannotGoOnInTheBackground()
    {
        Opened opened(m_place, m_state, {});
        opened.window->mayClose = nullptr;
        bool agreed = false;
        opened.window->askBeforeClosing(QStringLiteral("A run is being loaded."), {}, QStringLiteral("Stop"),
                                        [&agreed] { agreed = true; });
        QVERIFY(!opened.button("background")->isVisible());
        opened.button("yes")->click();
        QVERIFY(agreed);
    }

private:
    void start(Opened& opened)
    {
        opened.controller.start({});
        QTRY_VERIFY(!opened.controller.currentRun().empty());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
    std::shared_ptr<tests::FakeSessionState> m_state;
};

QTEST_MAIN(TestClosing)
#include "tst_closing.moc"
