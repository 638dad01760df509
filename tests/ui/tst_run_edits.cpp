// Edits of runs from the window: written by the writer thread, taken back, refused, and typed into the edit
// line.
#include "tests/support/idle_session.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/edits/edit_line.h"
#include "ui/edits/run_edits.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/runs_page.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"
#include "ui/window_pages.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <set>

using namespace assay;

namespace {

struct Opened
{
    explicit Opened(const StorePlace& place)
        : source(place)
        , controller(place, [] { return std::make_unique<tests::IdleSession>(); })
        , window(makeMainWindow(source, controller, settings, *theme()))
        , runs(window->findChild<RunsPage*>())
        , line(window->findChild<EditLine*>())
    {
        window->show();
    }

    static Theme* theme()
    {
        static Theme* made = new Theme(*qApp, ThemeChoice::Light);
        return made;
    }
    QAction* action(const char* id) const { return window->actions().find(QString::fromLatin1(id)); }
    QWidget* part(const char* name) const { return line->findChild<QWidget*>(QString::fromLatin1(name)); }
    void type(const QString& text) const
    {
        auto* field = line->findChild<QLineEdit*>();
        field->setText(text);
        QTest::keyClick(field, Qt::Key_Return);
    }
    void press() const { line->findChild<QAbstractButton*>(QStringLiteral("editLine.button"))->click(); }
    /// Selects runs by id, as clicks with Ctrl do.
    void select(const std::vector<RunId>& ids) const
    {
        runs->table()->clearSelection();
        for (const auto& id : ids) {
            const int row = runs->model()->rowOf(id);
            QVERIFY(row >= 0);
            runs->table()->selectionModel()->setCurrentIndex(
                runs->model()->index(row, 1), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }

    UiSettings settings{QString()};
    StoreSource source;
    RunController controller;
    std::unique_ptr<MainWindow> window;
    RunsPage* runs;
    EditLine* line;
};

/// Whether the table shows the tag "common" on all of the runs.
bool hasCommonTag(const RunTableModel* model, const std::vector<RunId>& runs)
{
    return std::all_of(runs.begin(), runs.end(), [&](const RunId& id) {
        const auto* run = model->row(model->rowOf(id));
        return run && std::find(run->tags.begin(), run->tags.end(), "common") != run->tags.end();
    });
}

} // namespace

class TestRunEdits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto filled = tests::fillSampleStore(m_folder->path().toStdString() + "/store");
        QVERIFY_RESULT(filled);
        m_sample = *filled;
        m_reader = RunReader::open(m_sample.place).value();
        m_opened = std::make_unique<Opened>(m_sample.place);
        QTRY_VERIFY(m_opened->runs->ready() && m_opened->runs->model()->rowCount() > 0);
        m_rows = m_opened->runs->model()->rowCount();
        m_ended.clear();
        RunQuery query;
        query.filter = "status = finished";
        const auto finished = m_reader->runs(query);
        for (const auto& run : finished->rows)
            m_ended.push_back(run.id);
        QVERIFY(m_ended.size() >= 3);
    }
    void cleanup()
    {
        m_opened.reset();
        m_reader.reset();
    }

    void edits_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("typed"); // null = nothing is asked
        QTest::addColumn<bool>("many");
        QTest::newRow("rename") << "edit.rename" << QStringLiteral("another name") << false;
        QTest::newRow("tag") << "edit.tag" << QStringLiteral("fresh, second one") << true;
        QTest::newRow("untag") << "edit.untag" << QStringLiteral("common") << true;
        QTest::newRow("note") << "edit.note" << QStringLiteral("what came of it") << false;
        QTest::newRow("archive") << "edit.archive" << QString() << true;
        QTest::newRow("delete") << "edit.delete" << QString() << true;
    }

    /// Done, undone and done again; every time the store, the table and the line say so.
    void edits()
    {
        QFETCH(QString, id);
        QFETCH(QString, typed);
        QFETCH(bool, many);
        const std::vector<RunId> runs(m_ended.begin(), m_ended.begin() + (many ? 3 : 1));
        if (id == QLatin1String("edit.untag")) {
            std::vector<RunEdit> tagged;
            for (const auto& run : runs) {
                RunEdit edit;
                edit.run = run;
                edit.addTags = {"common"};
                tagged.push_back(edit);
            }
            m_opened->window->edits().apply("x", "y", tagged);
            QTRY_VERIFY(hasCommonTag(m_opened->runs->model(), runs));
        }
        const auto look = [&] {
            QStringList text;
            for (const auto& run : runs) {
                const auto summary = m_reader->run(run)->summary;
                text << QString::fromStdString(summary.name + "|" + summary.note) +
                            (summary.archived ? "|archived" : "") + (summary.deleted ? "|deleted" : "");
                for (const auto& tag : summary.tags)
                    text << QString::fromStdString(tag);
            }
            return text;
        };
        m_opened->select(runs);
        const QStringList before = look();
        auto* action = m_opened->action(id.toLatin1().constData());
        QTRY_VERIFY(action->isEnabled());
        action->trigger();
        if (!typed.isNull() && id == QLatin1String("edit.note")) {
            auto* lines = m_opened->line->findChild<QPlainTextEdit*>();
            QTest::keyClicks(lines, typed);
            QTest::keyClick(lines, Qt::Key_Return, Qt::ControlModifier);
        } else if (!typed.isNull()) {
            m_opened->type(typed);
        }
        QTRY_VERIFY(look() != before);
        const QStringList after = look();
        const bool hides = id == QLatin1String("edit.archive") || id == QLatin1String("edit.delete");
        QTRY_COMPARE(m_opened->runs->model()->rowCount(), hides ? m_rows - 3 : m_rows);
        // What takes the place of hidden runs is selected, so that the keyboard can go on.
        QTRY_VERIFY(!m_opened->runs->selectedRuns().empty());
        QTRY_VERIFY(!m_opened->line->sentence().isEmpty());
        m_opened->press(); // Undo
        QTRY_COMPARE(look(), before);
        QTRY_COMPARE(m_opened->runs->model()->rowCount(), m_rows);
        QTRY_VERIFY(m_opened->action("edit.redo")->isEnabled());
        m_opened->action("edit.redo")->trigger();
        QTRY_COMPARE(look(), after);
        QTRY_VERIFY(m_opened->action("edit.undo")->text().contains(many ? "3 runs" : "“"));
        m_opened->action("edit.undo")->trigger();
        QTRY_COMPARE(look(), before);
    }

    void undoGoesBackThroughAllInOrder()
    {
        auto& edits = m_opened->window->edits();
        const std::string before = m_reader->run(m_ended[0])->summary.name;
        for (const char* name : {"one", "two", "three"}) {
            RunEdit edit;
            edit.run = m_ended[0];
            edit.name = name;
            edits.apply("renaming", name, {edit});
        }
        // Asked for faster than they can be written.
        edits.undo();
        edits.undo();
        QTRY_VERIFY(!edits.busy());
        QCOMPARE(m_reader->run(m_ended[0])->summary.name, std::string("one"));
        edits.redo();
        edits.undo();
        edits.undo();
        edits.undo(); // one more than there is
        QTRY_VERIFY(!edits.busy());
        QCOMPARE(m_reader->run(m_ended[0])->summary.name, before);
        QVERIFY(!edits.stack().canUndo());
        QCOMPARE(edits.stack().count(), 3);
    }

    void aLockedStoreIsSaidAndLeavesTheViewTrue()
    {
        auto& edits = m_opened->window->edits();
        RunEdit edit;
        edit.run = m_ended[0];
        edit.name = "kept";
        edits.apply("renaming", "Renamed.", {edit});
        QTRY_VERIFY(edits.stack().canUndo());
        SQLite::Database other(m_sample.place.database().string(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        QSignalSpy failed(&edits, &RunEdits::failed);
        edits.undo();
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 60000);
        QVERIFY(edits.stack().canUndo() && !edits.stack().canRedo());
        QCOMPARE(m_reader->run(m_ended[0])->summary.name, std::string("kept"));
        QVERIFY2(m_opened->line->sentence().contains(QStringLiteral("lock"), Qt::CaseInsensitive) ||
                     m_opened->line->sentence().contains(QStringLiteral("busy"), Qt::CaseInsensitive),
                 qPrintable(m_opened->line->sentence()));
        other.exec("ROLLBACK");
        edits.undo();
        QTRY_VERIFY(!edits.stack().canUndo());
        QVERIFY(m_reader->run(m_ended[0])->summary.name != "kept");
    }

    void aRunInProgressIsNotDeleted()
    {
        RunQuery running;
        running.filter = "status = running";
        const auto run = m_reader->runs(running)->rows.front().id;
        m_opened->select({run});
        QTRY_VERIFY(!m_opened->action("edit.delete")->isEnabled());
        QVERIFY(m_opened->action("edit.delete")->toolTip().contains(QStringLiteral("stop it first")));
        QVERIFY(m_opened->action("edit.tag")->isEnabled());
        // It may have been started after the menu was drawn: the store refuses as well.
        RunEdit edit;
        edit.run = run;
        edit.deleted = true;
        m_opened->window->edits().apply("deletion", "Deleted.", {edit});
        QTRY_VERIFY(m_opened->line->sentence().contains(QStringLiteral("in progress")));
        QVERIFY(!m_reader->run(run)->summary.deleted);
    }

    void keysBelongToThePage()
    {
        m_opened->select({m_ended[0]});
        QTRY_VERIFY(m_opened->action("edit.rename")->isEnabled());
        m_opened->window->openPage(QStringLiteral("steps"));
        QVERIFY(!m_opened->action("edit.rename")->isEnabled());
        QVERIFY(!m_opened->action("edit.delete")->isEnabled());
        m_opened->window->openPage(QStringLiteral("runs"));
        QVERIFY(m_opened->action("edit.rename")->isEnabled());
    }

    void escapeLeavesEverythingAsItWas()
    {
        m_opened->select({m_ended[0]});
        const auto before = m_reader->run(m_ended[0])->summary.name;
        QTRY_VERIFY(m_opened->action("edit.rename")->isEnabled());
        m_opened->action("edit.rename")->trigger();
        auto* field = m_opened->line->findChild<QLineEdit*>();
        QVERIFY(field->isVisible());
        QCOMPARE(field->text().toStdString(), before);
        QTest::keyClicks(field, QStringLiteral("typed"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!m_opened->line->isVisible());
        // An empty name is not taken either.
        m_opened->action("edit.rename")->trigger();
        m_opened->type(QString());
        QVERIFY(m_opened->line->asking());
        QCOMPARE(m_reader->run(m_ended[0])->summary.name, before);
        QVERIFY(!m_opened->window->edits().busy());
    }

    void selectionOfSeveralSurvivesARefresh()
    {
        const std::vector<RunId> chosen(m_ended.begin(), m_ended.begin() + 3);
        m_opened->select(chosen);
        const auto ids = [&] {
            std::set<RunId> set;
            for (const auto& run : m_opened->runs->selectedRuns())
                set.insert(run.id);
            return set;
        };
        const std::set<RunId> expected(chosen.begin(), chosen.end());
        QCOMPARE(ids(), expected);
        QSignalSpy loaded(m_opened->runs->model(), &RunTableModel::loaded);
        m_opened->runs->table()->sortByColumn(RunTableModel::NameColumn, Qt::AscendingOrder);
        QTRY_VERIFY(loaded.count() >= 1);
        QCOMPARE(ids(), expected);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    tests::SampleStore m_sample;
    std::unique_ptr<RunReader> m_reader;
    std::unique_ptr<Opened> m_opened;
    std::vector<RunId> m_ended;
    int m_rows = 0;
};

QTEST_MAIN(TestRunEdits)
#include "tst_run_edits.moc"
