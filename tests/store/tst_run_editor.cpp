#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "tests/support/temporary_run_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QTemporaryDir>

#include <chrono>
#include <future>

using namespace assay;

/// What a window does to runs: controls, edits that can be undone, drafts, and finding those whose process is
/// gone.
class TestRunEditor : public QObject, private tests::TemporaryRunStore
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void takesControls_data();
    void takesControls();
    void askingForControlsWaitsForNoCommit();
    void forgetsControlsOfAnEarlierAttempt();
    void findsInterruptedRuns_data();
    void findsInterruptedRuns();
    void undoesEdits_data();
    void undoesEdits();
    void editsAllOrNone();
    void keepsARunInProgress();
    void tellsPendingControls();
    void hidesArchivedAndDeleted();
    void keepsDrafts();

private:
    RunId ended(const std::string& name)
    {
        const RunId id = begin(name);
        (void)m_writer->setStatus(id, RunStatus::Finished);
        return id;
    }
    /// The writer may be busy when it is asked; what waits comes with one of the next answers.
    std::vector<Control> takeSome(const RunId& run)
    {
        Result<std::vector<Control>> taken = m_writer->takeControls(run);
        for (int tries = 0; taken.ok() && taken->empty() && tries < 100; ++tries) {
            QTest::qWait(20);
            taken = m_writer->takeControls(run);
        }
        return taken.ok() ? *taken : std::vector<Control>{};
    }
    Database raw() { return Database(m_place.database(), OpenMode::Write); }
};

void TestRunEditor::init()
{
    QVERIFY_RESULT(openStore());
}

void TestRunEditor::takesControls_data()
{
    QTest::addColumn<int>("control");
    for (const auto& [name, control] :
         {std::pair("pause", Control::Pause), std::pair("resume", Control::Resume),
          std::pair("stop", Control::Stop), std::pair("evaluate now", Control::EvaluateNow)})
        QTest::newRow(name) << static_cast<int>(control);
}

void TestRunEditor::takesControls()
{
    QFETCH(int, control);
    const RunId id = begin("r"), other = begin("other");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    QVERIFY_RESULT((*editor)->postControl(id, static_cast<Control>(control)));
    QVERIFY_RESULT((*editor)->postControl(id, Control::Resume));
    QCOMPARE((*editor)->postControl("nope", Control::Stop).error().code, ErrorCode::NotFound);
    QVERIFY(m_writer->takeControls(other)->empty());
    const auto taken = takeSome(id);
    QVERIFY(taken == (std::vector<Control>{static_cast<Control>(control), Control::Resume}));
    QVERIFY(m_writer->takeControls(id)->empty());
}

/// The training thread asks at every micro-batch: while the writer waits for the disk (here for another
/// process's transaction) there is no answer yet, and nothing is lost.
void TestRunEditor::askingForControlsWaitsForNoCommit()
{
    const RunId id = begin("r");
    QVERIFY_RESULT(RunEditor::open(m_place).value()->postControl(id, Control::Pause));
    std::future<Result<std::vector<Control>>> asked;
    {
        Database other = raw();
        other.run("BEGIN IMMEDIATE");
        StepRecord record;
        record.step = 1;
        QVERIFY_RESULT(m_writer->appendStep(id, record));
        QTest::qWait(1000); // the writer's thread has begun to commit, and waits
        asked = std::async(std::launch::async, [&] { return m_writer->takeControls(id); });
        const bool answered = asked.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
        other.run("ROLLBACK");
        QVERIFY(answered);
    }
    QVERIFY_RESULT(asked.get());
    QVERIFY(takeSome(id) == std::vector<Control>{Control::Pause});
}

void TestRunEditor::forgetsControlsOfAnEarlierAttempt()
{
    const RunId id = begin("r");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    QVERIFY_RESULT((*editor)->postControl(id, Control::Stop));
    QVERIFY_RESULT(m_writer->setStatus(id, RunStatus::Stopped));
    QVERIFY_RESULT(m_writer->beginAttempt(id, 0));
    QVERIFY(m_writer->takeControls(id)->empty());
}

void TestRunEditor::findsInterruptedRuns_data()
{
    QTest::addColumn<QString>("change"); // of the run's row
    QTest::addColumn<bool>("gone");
    QTest::newRow("this very process") << "name = name" << false;
    QTest::newRow("paused, this process") << "status = 'paused'" << false;
    QTest::newRow("no such process") << "process = 4194303" << true;
    QTest::newRow("the number was given again") << "process_start = process_start - 1" << true;
    QTest::newRow("the machine was started again") << "boot_id = 'earlier'" << true;
    QTest::newRow("another host, alive lately") << "host = 'elsewhere'" << false;
    QTest::newRow("another host, long silent")
        << "host = 'elsewhere', heartbeat_ms = heartbeat_ms - 7200000" << true;
    QTest::newRow("ended already") << "status = 'failed', process = 4194303" << false;
}

void TestRunEditor::findsInterruptedRuns()
{
    QFETCH(QString, change);
    QFETCH(bool, gone);
    const RunId id = begin("r");
    raw().run(("UPDATE runs SET " + change).toStdString());
    const auto before = reader().run(id)->summary.status;
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    const auto swept = (*editor)->sweepInterrupted();
    QVERIFY_RESULT(swept);
    QVERIFY(*swept == (gone ? std::vector<RunId>{id} : std::vector<RunId>{}));
    const auto after = reader().run(id)->summary;
    QVERIFY(after.status == (gone ? RunStatus::Interrupted : before));
    if (gone)
        QVERIFY_RESULT(m_writer->beginAttempt(id, 0));
}

void TestRunEditor::undoesEdits_data()
{
    QTest::addColumn<QString>("field");
    for (const char* field : {"name", "note", "tags", "add-tags", "remove-tags", "archived", "deleted"})
        QTest::newRow(field) << field;
}

void TestRunEditor::undoesEdits()
{
    QFETCH(QString, field);
    const RunId id = ended("before");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    RunEdit edit;
    edit.run = id;
    edit.addTags = {"kept", "x"};
    QVERIFY_RESULT((*editor)->apply(edit));
    edit.addTags.clear();
    if (field == "name")
        edit.name = "after";
    if (field == "note")
        edit.note = "a note";
    if (field == "tags")
        edit.tags = std::vector<std::string>{"x", "y"};
    if (field == "add-tags")
        edit.addTags = {"x", "y"}; // taking it back must leave x, which was there
    if (field == "remove-tags")
        edit.removeTags = {"x", "nowhere"}; // taking it back must not bring nowhere
    if (field == "archived")
        edit.archived = true;
    if (field == "deleted")
        edit.deleted = true;
    const auto look = [&] {
        const auto run = reader().run(id)->summary;
        QString text = QString::fromStdString(run.name + "|" + run.note + "|");
        for (const auto& tag : run.tags)
            text += QString::fromStdString(tag) + ",";
        return text + (run.archived ? "archived" : "") + (run.deleted ? "deleted" : "");
    };
    const QString before = look();
    const auto inverse = (*editor)->apply(edit);
    QVERIFY_RESULT(inverse);
    const QString after = look();
    QVERIFY(before != after);
    const auto redo = (*editor)->apply(*inverse);
    QVERIFY_RESULT(redo);
    QCOMPARE(look(), before);
    QVERIFY_RESULT((*editor)->apply(*redo));
    QCOMPARE(look(), after);
    RunEdit empty;
    empty.run = id;
    empty.name = "";
    QCOMPARE((*editor)->apply(empty).error().code, ErrorCode::Usage);
    empty.run = "nope";
    empty.name = "x";
    QCOMPARE((*editor)->apply(empty).error().code, ErrorCode::NotFound);
}

void TestRunEditor::editsAllOrNone()
{
    const RunId first = ended("first"), second = ended("second");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    const auto named = [](const RunId& run, const char* name) {
        RunEdit edit;
        edit.run = run;
        edit.name = name;
        return edit;
    };
    const std::vector wrong{named(first, "x"), named("nope", "y")};
    QCOMPARE((*editor)->applyAll(wrong).error().code, ErrorCode::NotFound);
    QCOMPARE(reader().run(first)->summary.name, std::string("first"));
    // The same run twice: the inverse must go back through both.
    const std::vector right{named(first, "one"), named(second, "two"), named(first, "three")};
    const auto inverse = (*editor)->applyAll(right);
    QVERIFY_RESULT(inverse);
    QCOMPARE(reader().run(first)->summary.name, std::string("three"));
    QVERIFY_RESULT((*editor)->applyAll(*inverse));
    QCOMPARE(reader().run(first)->summary.name, std::string("first"));
    QCOMPARE(reader().run(second)->summary.name, std::string("second"));
}

void TestRunEditor::keepsARunInProgress()
{
    const RunId id = begin("r");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    RunEdit edit;
    edit.run = id;
    edit.deleted = true;
    for (const auto status : {RunStatus::Running, RunStatus::Paused}) {
        QVERIFY_RESULT(m_writer->setStatus(id, status));
        const auto refused = (*editor)->apply(edit);
        QCOMPARE(refused.error().code, ErrorCode::Usage);
        QCOMPARE(refused.error().where, id);
        QVERIFY(!reader().run(id)->summary.deleted);
    }
    QVERIFY_RESULT(m_writer->setStatus(id, RunStatus::Stopped));
    QVERIFY_RESULT((*editor)->apply(edit));
}

void TestRunEditor::tellsPendingControls()
{
    const RunId id = begin("r");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    QVERIFY(reader().pendingControls(id)->empty());
    QVERIFY_RESULT((*editor)->postControl(id, Control::Pause));
    QVERIFY_RESULT((*editor)->postControl(id, Control::EvaluateNow));
    const auto pending = reader().pendingControls(id);
    QVERIFY_RESULT(pending);
    QCOMPARE(pending->size(), std::size_t{2});
    QCOMPARE(pending->back().control, Control::EvaluateNow);
    QVERIFY(pending->front().at > 0);
    QCOMPARE(takeSome(id).size(), std::size_t{2});
    QVERIFY_RESULT(m_writer->flush());
    QVERIFY(reader().pendingControls(id)->empty());
    QCOMPARE(reader().pendingControls("nope").error().code, ErrorCode::NotFound);
}

void TestRunEditor::hidesArchivedAndDeleted()
{
    const RunId kept = ended("kept"), archived = ended("archived one"), deleted = ended("deleted one");
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    RunEdit edit;
    edit.run = archived;
    edit.archived = true;
    QVERIFY_RESULT((*editor)->apply(edit));
    edit = {};
    edit.run = deleted;
    edit.deleted = true;
    edit.addTags = {"only there"};
    QVERIFY_RESULT((*editor)->apply(edit));
    QVERIFY(reader().tags()->empty());
    const auto matching = [&](const char* filter, bool includeArchived) {
        RunQuery query;
        query.filter = filter;
        query.includeArchived = includeArchived;
        return reader().runs(query).value().matching;
    };
    QCOMPARE(matching("", false), 1);
    QCOMPARE(matching("", true), 2);
    QCOMPARE(matching("archived", false), 1);
    QCOMPARE(matching("deleted", false), 1);
    RunQuery onlyDeleted;
    onlyDeleted.onlyDeleted = true;
    QCOMPARE(reader().runs(onlyDeleted).value().rows.front().id, deleted);
    QCOMPARE(reader().runs({}).value().total, 2);
    QCOMPARE(reader().findRun("last").value(), archived);
    // Who restores or purges a run may name it, until a run that is not deleted has the name.
    QCOMPARE(reader().findRun("deleted one").value(), deleted);
    const RunId same = ended("deleted one"), later = ended("deleted one");
    edit = {};
    edit.run = later;
    edit.deleted = true;
    QVERIFY_RESULT((*editor)->apply(edit));
    QCOMPARE(reader().findRun("deleted one").value(), same);
}

void TestRunEditor::keepsDrafts()
{
    auto editor = RunEditor::open(m_place);
    QVERIFY_RESULT(editor);
    QCOMPARE((*editor)->draft("form").value(), std::string());
    QVERIFY_RESULT((*editor)->saveDraft("form", "{\"a\":1}"));
    QVERIFY_RESULT((*editor)->saveDraft("form", "{\"a\":2}"));
    QCOMPARE((*editor)->draft("form").value(), std::string("{\"a\":2}"));
    QVERIFY_RESULT((*editor)->saveDraft("form", ""));
    QCOMPARE((*editor)->draft("form").value(), std::string());
}

QTEST_GUILESS_MAIN(TestRunEditor)
#include "tst_run_editor.moc"
