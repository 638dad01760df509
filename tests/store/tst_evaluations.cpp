#include "core/store/run_store.h"
#include "tests/support/temporary_run_store.h"
#include "tests/support/test_data.h"

using namespace assay;

/// Which evaluations speak for a run.
class TestEvaluations : public QObject, private tests::TemporaryRunStore
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY_RESULT(openStore()); }
    void otherDataStandBeside();
    void olderStepsDoNotSpeak();
    void laterOnesReplace();

private:
    void append(const RunId& run, std::int64_t step, double auroc, std::int64_t attempt = 1,
                const std::string& data = {});
    /// (step, AUROC) of what speaks for the run, from the evaluations and from the series; both must agree.
    std::vector<std::pair<double, double>> current(const RunId& run);
};

void TestEvaluations::append(const RunId& run, std::int64_t step, double auroc, std::int64_t attempt,
                             const std::string& data)
{
    EvaluationRecord record;
    record.step = step;
    record.attempt = attempt;
    record.data = data;
    record.verdictId = "learning";
    record.verdictBadge = data.empty() ? "learning" : "too few negatives";
    record.report.metrics = {{"auroc", "AUROC", auroc, {}, {}, {}, ""}};
    QVERIFY_RESULT(m_writer->appendEvaluation(run, record));
}

std::vector<std::pair<double, double>> TestEvaluations::current(const RunId& run)
{
    std::vector<std::pair<double, double>> listed, drawn;
    const auto evaluations = reader().evaluations(run).value();
    const auto series = reader().series(run, "evaluation.auroc", 0, 0, 100).value();
    for (const auto& record : evaluations)
        listed.emplace_back(static_cast<double>(record.step), *record.report.metric("auroc")->value);
    for (const auto& point : series)
        drawn.emplace_back(point.step, point.last);
    return listed == drawn ? listed : std::vector<std::pair<double, double>>{};
}

using Points = std::vector<std::pair<double, double>>;

void TestEvaluations::otherDataStandBeside()
{
    const RunId run = begin("r");
    append(run, 10, 0.9);
    append(run, 10, 0.2, 0, "/tmp/other.jsonl");
    QCOMPARE(current(run), (Points{{10, 0.9}}));
    const auto summary = reader().run(run)->summary;
    QCOMPARE(summary.verdictBadge, std::string("learning"));
    QCOMPARE(summary.headline->value, 0.9);
    const auto other = reader().evaluationsOnOtherData(run);
    QVERIFY_RESULT(other);
    QCOMPARE(other->size(), std::size_t{1});
    QCOMPARE(other->at(0).data, std::string("/tmp/other.jsonl"));
    QCOMPARE(other->at(0).attempt, 1);
}

void TestEvaluations::olderStepsDoNotSpeak()
{
    const RunId run = begin("r");
    append(run, 10, 0.6);
    append(run, 20, 0.9);
    append(run, 10, 0.61, 0); // an old checkpoint, looked at again
    QCOMPARE(current(run), (Points{{10, 0.61}, {20, 0.9}}));
    QCOMPARE(reader().run(run)->summary.headline->value, 0.9);
}

void TestEvaluations::laterOnesReplace()
{
    const RunId run = begin("r");
    append(run, 0, 0.5);
    append(run, 10, 0.6);
    append(run, 20, 0.7);
    QVERIFY_RESULT(m_writer->setStatus(run, RunStatus::Stopped));
    const auto attempt = m_writer->beginAttempt(run, 10);
    QVERIFY_RESULT(attempt);
    // Step 20 is not there again yet: what the first attempt had computed after step 10 no longer counts.
    QCOMPARE(current(run), (Points{{0, 0.5}, {10, 0.6}}));
    append(run, 20, 0.8, *attempt);
    QCOMPARE(current(run), (Points{{0, 0.5}, {10, 0.6}, {20, 0.8}}));
    QCOMPARE(reader().run(run)->summary.headline->value, 0.8);
}

QTEST_GUILESS_MAIN(TestEvaluations)
#include "tst_evaluations.moc"
