#include "tests/support/idle_session.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/command_palette.h"
#include "ui/run_controller.h"
#include "ui/screenshot.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"
#include "ui/widgets/status_strip.h"
#include "ui/window_pages.h"

#include <QAbstractButton>
#include <QApplication>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <SQLiteCpp/SQLiteCpp.h>

using namespace assay;

namespace {

struct Opened
{
    explicit Opened(const StorePlace& place, const QString& settingsFile = {})
        : settings(settingsFile)
        , source(place)
        , controller(place, [] { return std::make_unique<tests::IdleSession>(); })
        , window(makeMainWindow(source, controller, settings, *theme()))
    {}

    static Theme* theme()
    {
        static Theme* made = new Theme(*qApp, ThemeChoice::Light);
        return made;
    }

    UiSettings settings;
    StoreSource source;
    RunController controller;
    std::unique_ptr<MainWindow> window;
};

} // namespace

class MainWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto filled = tests::fillSampleStore(m_folder.filePath(QStringLiteral("store")).toStdString());
        QVERIFY_RESULT(filled);
        m_sample = *filled;
    }

    void everyPageOpensAndGetsItsData()
    {
        Opened opened(m_sample.place);
        opened.window->show();
        const auto pages = opened.window->findChildren<Page*>();
        QVERIFY(!pages.isEmpty());
        int commands = 0;
        for (const auto* action : opened.window->actions().all()) {
            const QString id = action->objectName().section(QLatin1Char('.'), 1);
            if (!action->objectName().startsWith(QLatin1String("view.")) || !opened.window->page(id))
                continue;
            ++commands;
            const_cast<QAction*>(action)->trigger();
            QCOMPARE(opened.window->currentPage(), id);
            QTRY_VERIFY2(opened.window->page(id)->ready(), qPrintable(id));
            QVERIFY(opened.window->windowTitle().endsWith(QStringLiteral("– Assay")));
        }
        QCOMPARE(commands, static_cast<int>(pages.size()));
    }

    void everyCommandIsInTheMenuBar()
    {
        Opened opened(m_sample.place);
        QSet<QAction*> inMenus;
        for (const auto* entry : opened.window->menuBar()->actions())
            if (entry->isVisible())
                for (auto* action : entry->menu()->actions())
                    inMenus.insert(action);
        for (auto* action : opened.window->actions().all())
            QVERIFY2(inMenus.contains(action), qPrintable(action->objectName()));
    }

    void shortcutsAreUnique()
    {
        Opened opened(m_sample.place);
        QMap<QString, QString> owners;
        for (const auto* action : opened.window->actions().all()) {
            if (action->shortcut().isEmpty())
                continue;
            // Commands of one page work only inside it: F4 folds the details of whichever page is open.
            const bool ofPage = action->shortcutContext() == Qt::WidgetWithChildrenShortcut;
            const QString scope = ofPage ? action->objectName().section(QLatin1Char('.'), 0, 0) : QString();
            const QString keys = scope + QLatin1Char(' ') + action->shortcut().toString();
            QVERIFY2(!owners.contains(keys), qPrintable(keys + QLatin1Char(' ') + owners.value(keys) +
                                                        QLatin1Char(' ') + action->objectName()));
            owners[keys] = action->objectName();
        }
    }

    void thePaletteFindsRunsAndExplains()
    {
        Opened opened(m_sample.place);
        opened.window->show();
        opened.window->actions().find(QStringLiteral("help.commands"))->trigger();
        auto* palette = opened.window->findChild<CommandPalette*>();
        QVERIFY(palette->isVisible());
        auto* field = palette->findChild<QLineEdit*>();
        auto* list = palette->findChild<QListWidget*>();
        QCOMPARE(list->count(), static_cast<int>(opened.window->actions().all().size()));
        QTest::keyClicks(field, QStringLiteral("darkth"));
        QVERIFY(list->count() >= 1);
        QCOMPARE(list->item(0)->text(), QStringLiteral("Dark theme"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QVERIFY(colors().dark);
        Opened::theme()->setChoice(ThemeChoice::Light);
        // A disabled command stays in the list, says why, and does nothing.
        opened.window->actions().find(QStringLiteral("help.commands"))->trigger();
        QTest::keyClicks(field, QStringLiteral("pause"));
        QVERIFY(!(list->item(0)->flags() & Qt::ItemIsEnabled));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(palette->isVisible());
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
    }

    void matchingPrefersWordStarts_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("initials") << "ne"
                                  << "New experiment"
                                  << "Evaluate once";
        QTest::newRow("runs of letters") << "stop"
                                         << "Stop"
                                         << "Show the top";
        QTest::newRow("none") << "xyz"
                              << "Extra yellow zoom"
                              << "Pause";
    }

    void matchingPrefersWordStarts()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        QVERIFY(matchScore(pattern, better) > matchScore(pattern, worse));
    }

    void theStatusBarKnowsTheStore()
    {
        Opened opened(m_sample.place);
        opened.window->show();
        const auto* strip = opened.window->findChild<StatusStrip*>();
        QTRY_VERIFY(strip->accessibleDescription().contains(QStringLiteral("assay.db")));
        QVERIFY(strip->accessibleDescription().contains(QStringLiteral("RAM")));
    }

    void runsWhoseProcessIsGoneBecomeInterrupted()
    {
        QTemporaryDir folder;
        auto filled = tests::fillSampleStore(folder.filePath(QStringLiteral("store")).toStdString());
        QVERIFY_RESULT(filled);
        {
            // The start time tells this process from the one that wrote the run: as if its number had been
            // reused.
            SQLite::Database database(filled->place.database().string(), SQLite::OPEN_READWRITE);
            database.setBusyTimeout(5000);
            QVERIFY(database.exec("UPDATE runs SET process_start = 1 WHERE status = 'running'") > 0);
        }
        Opened opened(filled->place);
        opened.window->show();
        auto reader = RunReader::open(filled->place);
        QVERIFY_RESULT(reader);
        RunQuery interrupted;
        interrupted.filter = "status = running";
        QTRY_VERIFY((*reader)->runs(interrupted)->rows.empty());
    }

    void theLayoutIsRememberedAndAForeignVersionIgnored()
    {
        const QString file = m_folder.filePath(QStringLiteral("window.ini"));
        {
            Opened opened(m_sample.place, file);
            opened.window->restoreLayout();
            opened.window->resize(1111, 777);
            opened.window->show();
            opened.window->close();
        }
        {
            UiSettings settings(file);
            QVERIFY(!settings.layout(QStringLiteral("window")).isEmpty());
            QVERIFY(!settings.layout(QStringLiteral("run.columns")).isEmpty());
        }
        QSettings(file, QSettings::IniFormat).setValue(QStringLiteral("layout/version"), 99);
        UiSettings settings(file);
        QVERIFY(settings.layout(QStringLiteral("window")).isEmpty());
    }

    void closingIsAskedInPlace()
    {
        Opened opened(m_sample.place);
        opened.window->show();
        bool may = false;
        opened.window->mayClose = [&may] { return may; };
        QVERIFY(!opened.window->close());
        bool agreed = false;
        opened.window->askBeforeClosing(QStringLiteral("A run is in progress."), {},
                                        QStringLiteral("Stop and close"), [&agreed] { agreed = true; });
        auto* question = opened.window->findChild<QWidget*>(QStringLiteral("closeQuestion"));
        QVERIFY(question->isVisible());
        auto* yes = question->findChild<QAbstractButton*>(QStringLiteral("closeQuestion.yes"));
        QVERIFY(yes->hasFocus() || !opened.window->isActiveWindow());
        QTest::keyClick(yes, Qt::Key_Space);
        QVERIFY(agreed);
        QVERIFY(!question->isVisible());
        may = true;
        QVERIFY(opened.window->close());
    }

    void screenshotsAreTakenOfNamedPages()
    {
        Opened opened(m_sample.place);
        const QString file = m_folder.filePath(QStringLiteral("run.png"));
        const Status saved = saveScreenshot(*opened.window, QStringLiteral("run"),
                                            QString::fromStdString(m_sample.full), QSize(1100, 700), file);
        QVERIFY_RESULT(saved);
        QCOMPARE(QImage(file).size(), QSize(1100, 700));
        const Status unknown =
            saveScreenshot(*opened.window, QStringLiteral("nowhere"), {}, QSize(1100, 700), file);
        QVERIFY(!unknown.ok());
        QCOMPARE(unknown.error().code, ErrorCode::Usage);
    }

private:
    QTemporaryDir m_folder;
    tests::SampleStore m_sample;
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
