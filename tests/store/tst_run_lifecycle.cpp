#include "core/base/clock.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "core/store/sqlite/process_identity.h"
#include "tests/support/temporary_run_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QTemporaryDir>

#include <cmath>
#include <limits>
#include <thread>

using namespace assay;

/// What a writer does to a run in the store: states, numbers, attempts, and its own commits.
class TestRunLifecycle : public QObject, private tests::TemporaryRunStore
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsDetails();
    void keepsStatus_data();
    void keepsStatus();
    void keepsNumbers_data();
    void keepsNumbers();
    void continuesAfterResume();
    void refusesUnknownRuns();
    void revivesByHeartbeat();
    void commitsByItself();
    void acceptsTwoWriters();
    void keepsFilesPrivate();

private:
    Database raw() { return Database(m_place.database(), OpenMode::Write); }
};

void TestRunLifecycle::init()
{
    QVERIFY_RESULT(openStore());
}

void TestRunLifecycle::keepsDetails()
{
    NewRun run;
    run.name = "tëst \"quoted\"";
    run.backbone = "llama";
    run.data = "rows";
    run.configJson = R"({"train.steps":7})";
    run.tags = {"b", "a", "b"};
    run.plannedSteps = 7;
    run.device = "cpu";
    run.deviceDescription = "CPU, 2 threads";
    run.dtype = "fp32";
    run.threads = 2;
    run.buildId = "build";
    run.trainFingerprint = "tf";
    run.evaluationFingerprint = "ef";
    run.splitHash = "sh";
    run.tokenizerHash = "th";
    run.weightsHash = "wh";
    run.headHash = "hh";
    run.trainIds = {"t2", "t1", "t3"};
    run.evaluationIds = {"e1"};
    Report preflight;
    preflight.findings.push_back({"one-class-only", Severity::Red, "T", "E", "C", "R", {4}, 1.0});
    run.preflightJson = reportToJson(preflight);
    const auto id = m_writer->beginRun(run);
    QVERIFY_RESULT(id);
    QCOMPARE(id->size(), std::size_t{12});
    const auto details = reader().run(*id);
    QVERIFY_RESULT(details);
    QCOMPARE(details->summary.name, run.name);
    QVERIFY(details->summary.tags == (std::vector<std::string>{"a", "b"}));
    QVERIFY(details->summary.status == RunStatus::Running);
    QVERIFY(!details->summary.headline.has_value());
    QCOMPARE(details->configJson, run.configJson);
    QCOMPARE(details->trainFingerprint, run.trainFingerprint);
    QCOMPARE(details->evaluationFingerprint, run.evaluationFingerprint);
    QCOMPARE(details->splitHash, run.splitHash);
    QCOMPARE(details->tokenizerHash, run.tokenizerHash);
    QCOMPARE(details->weightsHash, run.weightsHash);
    QCOMPARE(details->headHash, run.headHash);
    QCOMPARE(details->buildId, run.buildId);
    QCOMPARE(details->deviceDescription, run.deviceDescription);
    QCOMPARE(details->dtype, run.dtype);
    QCOMPARE(details->threads, 2);
    QCOMPARE(details->trainExamples, 3);
    QCOMPARE(details->evaluationExamples, 1);
    QCOMPARE(details->preflightJson, run.preflightJson);
    const auto split = reader().splitIds(*id);
    QVERIFY_RESULT(split);
    QVERIFY(split->first == run.trainIds);
    QVERIFY(split->second == run.evaluationIds);
    QCOMPARE(
        raw().integer("SELECT count(*) FROM findings WHERE finding = 'one-class-only' AND severity = 'red'"),
        1);
    // The same configuration and split are stored once.
    QVERIFY_RESULT(m_writer->beginRun(run));
    QCOMPARE(raw().integer("SELECT count(*) FROM configs"), 1);
    QCOMPARE(raw().integer("SELECT count(*) FROM split_ids"), 4);
}

void TestRunLifecycle::keepsStatus_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("ended");
    QTest::newRow("running") << static_cast<int>(RunStatus::Running) << false;
    QTest::newRow("paused") << static_cast<int>(RunStatus::Paused) << false;
    QTest::newRow("finished") << static_cast<int>(RunStatus::Finished) << true;
    QTest::newRow("stopped") << static_cast<int>(RunStatus::Stopped) << true;
    QTest::newRow("failed") << static_cast<int>(RunStatus::Failed) << true;
    QTest::newRow("interrupted") << static_cast<int>(RunStatus::Interrupted) << true;
}

void TestRunLifecycle::keepsStatus()
{
    QFETCH(int, status);
    QFETCH(bool, ended);
    const RunId id = begin("r");
    QVERIFY_RESULT(m_writer->heartbeat(id, 3, 1.0));
    QVERIFY_RESULT(m_writer->heartbeat(id, 5, 2.5)); // too soon for the disk, but the status brings it
    QVERIFY_RESULT(m_writer->setStatus(id, static_cast<RunStatus>(status), "why"));
    const auto run = reader().run(id);
    QVERIFY_RESULT(run);
    QCOMPARE(static_cast<int>(run->summary.status), status);
    QCOMPARE(run->summary.endedAt != 0, ended);
    QCOMPARE(run->summary.errorText, std::string("why"));
    QCOMPARE(run->summary.seconds, 2.5);
    QCOMPARE(run->summary.step, 5);
}

void TestRunLifecycle::keepsNumbers_data()
{
    QTest::addColumn<double>("number");
    QTest::newRow("ordinary") << 0.1;
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("infinity") << std::numeric_limits<double>::infinity();
    QTest::newRow("minus infinity") << -std::numeric_limits<double>::infinity();
    QTest::newRow("tiny") << 5e-324;
}

void TestRunLifecycle::keepsNumbers()
{
    QFETCH(double, number);
    const auto same = [&](double other) { return std::isnan(number) ? std::isnan(other) : other == number; };
    const RunId id = begin("r");
    StepRecord step;
    step.step = 1;
    step.loss = step.gradientNorm = number;
    step.tokens = (std::int64_t{1} << 52) + 1;
    step.clipped = true;
    QVERIFY_RESULT(m_writer->appendStep(id, step));
    EvaluationRecord evaluation;
    evaluation.step = 1;
    evaluation.loss = number;
    evaluation.report.metrics = {{"auroc", "AUROC", number, {}, {}, {}, ""},
                                 {"mcc", "MCC", {}, {}, {}, {}, "why"}};
    const auto key = m_writer->appendEvaluation(id, evaluation);
    QVERIFY_RESULT(key);
    StoredPrediction prediction{*key, "unknown example", 0, 0, 1, number, number, 0.25, true};
    QVERIFY_RESULT(m_writer->appendPredictions(id, *key, std::span(&prediction, 1)));

    const auto steps = reader().steps(id, 0, 10);
    QVERIFY_RESULT(steps);
    QVERIFY(same(steps->at(0).loss));
    QCOMPARE(steps->at(0).tokens, step.tokens);
    QVERIFY(steps->at(0).clipped && !steps->at(0).skipped);
    const auto evaluations = reader().evaluations(id);
    QVERIFY_RESULT(evaluations);
    QVERIFY(same(evaluations->at(0).loss));
    QVERIFY(same(*evaluations->at(0).report.metric("auroc")->value));
    QVERIFY(!evaluations->at(0).report.metric("mcc")->value);
    const auto rows = reader().predictions(*key, "unknown example");
    QVERIFY_RESULT(rows);
    QVERIFY(same(rows->at(0).score) && same(rows->at(0).probability));
    QCOMPARE(rows->at(0).label, 0.25);
    const auto series = reader().series(id, "evaluation.auroc", 0, 0, 10);
    QVERIFY_RESULT(series);
    QCOMPARE(series->size(), std::size_t{1});
    QVERIFY(same(series->at(0).last));
    QCOMPARE(series->at(0).nonFinite, std::isfinite(number) ? 0 : 1);
    QVERIFY(reader().series(id, "evaluation.mcc", 0, 0, 10).value().empty());
}

void TestRunLifecycle::continuesAfterResume()
{
    const RunId id = begin("r");
    const auto append = [&](std::int64_t attempt, std::int64_t first, std::int64_t last, double loss) {
        for (std::int64_t step = first; step <= last; ++step) {
            StepRecord record;
            record.step = step;
            record.attempt = attempt;
            record.loss = loss;
            QVERIFY_RESULT(m_writer->appendStep(id, record));
        }
    };
    append(1, 1, 10'000, 1.0);
    QVERIFY_RESULT(m_writer->heartbeat(id, 10'000, 50.0));
    QVERIFY_RESULT(m_writer->setStatus(id, RunStatus::Stopped));
    const auto attempt = m_writer->beginAttempt(id, 6'000);
    QVERIFY_RESULT(attempt);
    QCOMPARE(*attempt, 2);
    append(2, 6'001, 12'000, 2.0);
    QVERIFY_RESULT(m_writer->heartbeat(id, 12'000, 30.0));
    QVERIFY_RESULT(m_writer->setStatus(id, RunStatus::Finished));

    const auto steps = reader().steps(id, 0, 100'000);
    QVERIFY_RESULT(steps);
    QCOMPARE(steps->size(), std::size_t{12'000});
    for (std::size_t i = 0; i < steps->size(); ++i) {
        QCOMPARE(steps->at(i).step, static_cast<std::int64_t>(i) + 1);
        QCOMPARE(steps->at(i).attempt, i < 6'000 ? 1 : 2);
        QCOMPARE(steps->at(i).loss, i < 6'000 ? 1.0 : 2.0);
    }
    std::int64_t count = 0;
    double last = 0.0;
    const auto series = reader().series(id, "loss", 0, 0, 100);
    QVERIFY_RESULT(series);
    for (const auto& point : *series) {
        QVERIFY(point.step > last);
        QCOMPARE(point.minimum, static_cast<double>(point.attempt));
        QCOMPARE(point.maximum, static_cast<double>(point.attempt));
        last = point.step;
        count += point.count;
    }
    QCOMPARE(count, 12'000);
    // What was computed twice is still there.
    QCOMPARE(raw().integer("SELECT (SELECT count(*) FROM step_rows) + "
                           "(SELECT sum(points) FROM series_blocks WHERE series = 'loss')"),
             16'000);
    QCOMPARE(reader().run(id)->summary.seconds, 80.0);
    QCOMPARE(reader().run(id)->summary.step, 12'000);
}

void TestRunLifecycle::refusesUnknownRuns()
{
    QCOMPARE(m_writer->beginAttempt("nope", 0).error().code, ErrorCode::NotFound);
    QCOMPARE(m_writer->setStatus("nope", RunStatus::Failed).error().code, ErrorCode::NotFound);
    QCOMPARE(m_writer->addCheckpoint("nope", {}).error().code, ErrorCode::NotFound);
    QCOMPARE(reader().run("nope").error().code, ErrorCode::NotFound);
    QCOMPARE(reader().example("nope").error().code, ErrorCode::NotFound);
    // A step of a run that does not exist must not hold up the steps of others.
    const RunId id = begin("r");
    StepRecord record;
    record.step = 1;
    QVERIFY_RESULT(m_writer->appendStep("nope", record));
    QVERIFY_RESULT(m_writer->appendStep(id, record));
    QVERIFY_RESULT(m_writer->appendStep(id, record)); // twice: the first is kept
    QVERIFY_RESULT(m_writer->flush());
    QCOMPARE(reader().steps(id, 0, 10)->size(), std::size_t{1});
}

void TestRunLifecycle::revivesByHeartbeat()
{
    const RunId id = begin("r");
    raw().run("UPDATE runs SET status = 'interrupted', ended_ms = 5");
    QVERIFY_RESULT(m_writer->heartbeat(id, 9, 4.0));
    QVERIFY_RESULT(m_writer->flush());
    const auto run = reader().run(id);
    QVERIFY_RESULT(run);
    QVERIFY(run->summary.status == RunStatus::Running);
    QCOMPARE(run->summary.endedAt, 0);
    QCOMPARE(run->summary.step, 9);
}

void TestRunLifecycle::commitsByItself()
{
    const RunId id = begin("r");
    StepRecord record;
    record.step = 1;
    const auto version = reader().version().value();
    QVERIFY_RESULT(m_writer->appendStep(id, record));
    QVERIFY_RESULT(m_writer->appendEvent(id, {0, 0, 1, EventLevel::Warning, "probe", "text"}));
    // No further call: the writer's own thread brings them to disk.
    QTRY_COMPARE_WITH_TIMEOUT(reader().steps(id, 0, 10)->size(), std::size_t{1}, 5000);
    QVERIFY(reader().version().value() != version);
    const auto events = reader().events(id, 10);
    QVERIFY_RESULT(events);
    QCOMPARE(events->size(), std::size_t{1});
    QVERIFY(events->at(0).level == EventLevel::Warning);
    QVERIFY(std::abs(events->at(0).at - nowMilliseconds()) < 60'000);
}

void TestRunLifecycle::acceptsTwoWriters()
{
    constexpr std::int64_t count = 5'000;
    const auto write = [&](const std::string& name) {
        auto writer = RunWriter::open(m_place);
        NewRun run;
        run.name = name;
        const RunId id = (*writer)->beginRun(run).value();
        for (std::int64_t step = 1; step <= count; ++step) {
            StepRecord record;
            record.step = step;
            record.loss = static_cast<double>(step);
            CHECK((*writer)->appendStep(id, record).ok(), "append");
            if (step % 50 == 0)
                CHECK((*writer)->flush().ok(), "flush");
        }
        CHECK((*writer)->setStatus(id, RunStatus::Finished).ok(), "status");
    };
    std::jthread first([&] { write("first"); }), second([&] { write("second"); });
    std::size_t seen = 0;
    while (seen < 2 * count) {
        std::size_t now = 0;
        for (const char* name : {"first", "second"})
            if (const auto id = reader().findRun(name); id.ok()) {
                const auto steps = reader().steps(*id, 0, 10 * count);
                QVERIFY_RESULT(steps);
                for (std::size_t i = 0; i < steps->size(); ++i)
                    QCOMPARE(steps->at(i).step, static_cast<std::int64_t>(i) + 1);
                now += steps->size();
            }
        QVERIFY(now >= seen);
        seen = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    first.join();
    second.join();
    QVERIFY_RESULT(reader().integrityCheck());
}

void TestRunLifecycle::keepsFilesPrivate()
{
    namespace fs = std::filesystem;
    const auto mode = [](const fs::path& path) {
        return static_cast<unsigned>(fs::status(path).permissions());
    };
    begin("r");
    QCOMPARE(mode(m_place.folder), 0700U);
    QCOMPARE(mode(m_place.artefacts()), 0700U);
    for (const auto& entry : fs::directory_iterator(m_place.folder))
        if (entry.is_regular_file())
            QVERIFY2(mode(entry.path()) == 0600U, entry.path().c_str());
}

QTEST_GUILESS_MAIN(TestRunLifecycle)
#include "tst_run_lifecycle.moc"
