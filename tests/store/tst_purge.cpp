// Removing deleted runs for good: every row and file of theirs and nothing of anybody else's.
#include "core/base/folder_lock.h"
#include "core/store/purge/purge.h"
#include "tests/support/temporary_run_store.h"
#include "tests/support/test_data.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <map>

using namespace assay;
namespace fs = std::filesystem;

class TestPurge : public QObject, private tests::TemporaryRunStore
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY_RESULT(openStore()); }
    void removesAllOfARunAndNothingElse();
    void namedRunsOnly();
    void refuses_data();
    void refuses();
    void takesWhatAKillLeft();
    void restoredMeanwhileStays();

private:
    /// A run with a row in every table that can have one, and a checkpoint folder of 1,000 bytes.
    RunId filledRun(const std::string& name, const std::vector<std::string>& examples);
    void remove(const RunId& run)
    {
        RunEdit edit;
        edit.run = run;
        edit.deleted = true;
        QVERIFY_RESULT(RunEditor::open(m_place).value()->apply(edit));
    }
    fs::path folder(const RunId& run) const { return m_place.artefacts() / "runs" / run; }
    void execute(const std::string& sql)
    {
        SQLite::Database(m_place.database().string(), SQLite::OPEN_READWRITE).exec(sql);
    }
    /// Rows of every table but the names of metrics, which are words and not a run's.
    std::map<std::string, int> counts();
};

RunId TestPurge::filledRun(const std::string& name, const std::vector<std::string>& examples)
{
    NewRun input;
    input.name = name;
    input.configJson = "{\"run.name\": \"" + name + "\"}";
    input.tags = {"t"};
    input.splitHash = "split-" + name;
    input.trainIds = {"train-of-" + name};
    input.evaluationIds = examples;
    const auto run = m_writer->beginRun(input).value();
    std::vector<StoredExample> texts;
    for (const auto& id : examples)
        texts.push_back(
            {.id = id, .prompt = "prompt of " + id, .steps = {"a step"}, .source = "f", .row = 0});
    [&] { QVERIFY_RESULT(m_writer->addExamples(texts)); }();
    for (std::int64_t step = 1; step <= 5000; ++step) { // one sealed block, and loose rows
        StepRecord record;
        record.step = step;
        record.loss = 1.0;
        [&] { QVERIFY_RESULT(m_writer->appendStep(run, record)); }();
    }
    EvaluationRecord evaluation;
    evaluation.step = 3;
    evaluation.report.metrics = {{"auroc", "AUROC", 0.5, {}, {}, {}, ""}};
    evaluation.report.findings.push_back({.id = "one-class-only", .title = "t", .evidence = "e"});
    const auto id = m_writer->appendEvaluation(run, evaluation).value();
    std::vector<StoredPrediction> predictions;
    for (const auto& example : examples)
        predictions.push_back({.evaluation = id, .exampleId = example, .supervised = true});
    [&] { QVERIFY_RESULT(m_writer->appendPredictions(run, id, predictions)); }();
    [&] { QVERIFY_RESULT(m_writer->appendEvent(run, {0, 0, 1, EventLevel::Info, "k", "text"})); }();
    CheckpointRecord checkpoint;
    checkpoint.step = 3;
    checkpoint.path = "runs/" + run + "/checkpoints/step-3";
    [&] { QVERIFY_RESULT(m_writer->addCheckpoint(run, checkpoint)); }();
    [&] { QVERIFY_RESULT(m_writer->setStatus(run, RunStatus::Finished)); }();
    [&] { QVERIFY_RESULT(m_writer->flush()); }();
    [&] { QVERIFY_RESULT(RunEditor::open(m_place).value()->postControl(run, Control::Stop)); }();
    fs::create_directories(m_place.artefacts() / checkpoint.path);
    std::ofstream(m_place.artefacts() / checkpoint.path / "model.safetensors") << std::string(1000, 'x');
    return run;
}

std::map<std::string, int> TestPurge::counts()
{
    SQLite::Database database(m_place.database().string(), SQLite::OPEN_READONLY);
    std::vector<std::string> names;
    SQLite::Statement tables(database,
                             "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
                             "'sqlite_%' AND name <> 'metric_names'");
    while (tables.executeStep())
        names.push_back(tables.getColumn(0).getString());
    std::map<std::string, int> rows;
    for (const auto& name : names)
        rows[name] = database.execAndGet("SELECT count(*) FROM " + name).getInt();
    return rows;
}

void TestPurge::removesAllOfARunAndNothingElse()
{
    const auto kept = filledRun("kept", {"shared", "its own"});
    const auto before = counts();
    const auto gone = filledRun("gone", {"shared", "only here"});
    const auto filled = counts();
    for (const auto& [table, rows] : before)
        if (table != "artefacts" && table != "drafts")
            QVERIFY2(filled.at(table) > rows,
                     (table + " has no row of the run: this test says nothing").c_str());
    remove(gone);
    const auto plan = planPurge(m_place);
    QVERIFY_RESULT(plan);
    QCOMPARE(plan->runs.size(), std::size_t(1));
    QCOMPARE(plan->runs.at(0).run, gone);
    QCOMPARE(plan->runs.at(0).name, std::string("gone"));
    QCOMPARE(plan->bytes(), std::int64_t(1000));
    QCOMPARE(counts(), filled); // a plan changes nothing
    const auto done = purge(m_place, *plan);
    QVERIFY_RESULT(done);
    QCOMPARE(done->bytes(), std::int64_t(1000));
    QCOMPARE(counts(), before);
    QVERIFY(!fs::exists(folder(gone)));
    QVERIFY(fs::exists(folder(kept) / "checkpoints" / "step-3" / "model.safetensors"));
    QCOMPARE(reader().example("shared")->prompt, std::string("prompt of shared"));
    QVERIFY(!reader().example("only here").ok());
    SQLite::Database database(m_place.database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement dangling(database, "PRAGMA foreign_key_check");
    QVERIFY(!dangling.executeStep());
    QCOMPARE(database.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    QVERIFY(planPurge(m_place)->runs.empty());
}

void TestPurge::namedRunsOnly()
{
    const auto a = filledRun("a", {"x"}), b = filledRun("b", {"y"});
    remove(a);
    remove(b);
    const std::vector named{a};
    const auto plan = planPurge(m_place, named);
    QVERIFY_RESULT(plan);
    QVERIFY_RESULT(purge(m_place, *plan));
    QVERIFY(!fs::exists(folder(a)));
    QVERIFY(fs::exists(folder(b)));
    QVERIFY(!reader().run(a).ok());
    QVERIFY(reader().run(b).ok());
}

void TestPurge::refuses_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("not deleted") << "not deleted"
                                 << "the run is not deleted";
    QTest::newRow("not there") << "not there"
                               << "there is no such run in the store";
    QTest::newRow("in progress") << "in progress"
                                 << "a run in progress cannot be removed";
    QTest::newRow("being read") << "being read"
                                << "a checkpoint of the run is being read";
}

void TestPurge::refuses()
{
    QFETCH(QString, what);
    QFETCH(QString, message);
    const auto other = filledRun("other", {"x"}), run = filledRun("run", {"y"});
    remove(other);
    if (what != "not deleted")
        remove(run);
    if (what == "in progress")
        execute("UPDATE runs SET status = 'running' WHERE id = '" + run + "'");
    const auto lock = FolderLock::share(folder(what == "being read" ? run : other) / "checkpoints" /
                                        (what == "being read" ? "step-3" : ""));
    const auto before = counts();
    const std::vector named{other, what == "not there" ? RunId("0123456789ab") : run};
    const auto plan = planPurge(m_place, named);
    const auto result = plan.ok() ? purge(m_place, *plan) : plan;
    QVERIFY(!result.ok());
    QVERIFY2(result.error().message.find(message.toStdString()) == 0, result.error().text().c_str());
    QCOMPARE(counts(), before); // all or nothing
    QVERIFY(fs::exists(folder(run)) && fs::exists(folder(other)));
}

/// A kill between rows and files leaves a folder without a row. What is not of a run stays where it is.
void TestPurge::takesWhatAKillLeft()
{
    const auto kept = filledRun("kept", {"x"});
    fs::create_directories(folder("0123456789ab") / "checkpoints");
    std::ofstream(folder("0123456789ab") / "checkpoints" / "file") << std::string(70, 'x');
    fs::create_directories(folder("my notes"));
    const auto plan = planPurge(m_place);
    QVERIFY_RESULT(plan);
    QCOMPARE(plan->leftovers, std::vector<RunId>{"0123456789ab"});
    QCOMPARE(plan->bytes(), std::int64_t(70));
    QVERIFY_RESULT(purge(m_place, *plan));
    QVERIFY(!fs::exists(folder("0123456789ab")));
    QVERIFY(fs::exists(folder("my notes")) && fs::exists(folder(kept)));
}

void TestPurge::restoredMeanwhileStays()
{
    const auto run = filledRun("run", {"x"});
    remove(run);
    const auto plan = planPurge(m_place);
    QVERIFY_RESULT(plan);
    RunEdit edit;
    edit.run = run;
    edit.deleted = false;
    QVERIFY_RESULT(RunEditor::open(m_place).value()->apply(edit));
    const auto done = purge(m_place, *plan);
    QVERIFY_RESULT(done);
    QVERIFY(done->runs.empty());
    QVERIFY(reader().run(run).ok());
    QVERIFY(fs::exists(folder(run) / "checkpoints" / "step-3"));
}

QTEST_GUILESS_MAIN(TestPurge)
#include "tst_purge.moc"
