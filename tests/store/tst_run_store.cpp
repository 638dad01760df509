#include "core/store/run_store.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QTemporaryDir>

#include <algorithm>
#include <cmath>

using namespace assay;

/// The doors of the store over a store with many kinds of runs.
class TestRunStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void listsRuns_data();
    void listsRuns();
    void findsRuns_data();
    void findsRuns();
    void keepsSeries();
    void keepsEvaluations();
    void listsSolutions_data();
    void listsSolutions();
    void keepsEventsAndCheckpoints();

private:
    QTemporaryDir m_folder;
    tests::SampleStore m_sample;
    std::unique_ptr<RunReader> m_reader;
};

void TestRunStore::initTestCase()
{
    auto sample = tests::fillSampleStore(std::filesystem::path(m_folder.path().toStdString()) / "store");
    QVERIFY_RESULT(sample);
    m_sample = *sample;
    auto reader = RunReader::open(m_sample.place);
    QVERIFY_RESULT(reader);
    m_reader = std::move(reader).value();
    QVERIFY_RESULT(m_reader->integrityCheck());
}

void TestRunStore::listsRuns_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<int>("matching");
    QTest::newRow("all") << "" << 13;
    QTest::newRow("status") << "status = failed" << 1;
    QTest::newRow("not status") << "status != finished" << 5;
    QTest::newRow("verdict by words") << "verdict = \"threshold off\"" << 2;
    QTest::newRow("verdict by id") << "verdict = labels-broken" << 1;
    QTest::newRow("flag") << "verdict = \"always True\"" << 2;
    QTest::newRow("tag") << "tag = best" << 2;
    QTest::newRow("name contains") << "name ~ \"q05\"" << 3;
    QTest::newRow("free words") << "prm q15" << 2;
    QTest::newRow("or") << "status = failed or status = paused" << 2;
    QTest::newRow("precedence") << "status = failed or status = paused and tag = lr" << 2;
    QTest::newRow("parentheses") << "(status = failed or status = paused) and tag = lr" << 1;
    QTest::newRow("metric") << "accuracy > 50% and not status = running" << 10;
    QTest::newRow("duration") << "duration > 1h" << 2;
    QTest::newRow("dates") << "started > yesterday or started < \"2001-01-01\"" << 3;
    QTest::newRow("not archived") << "not archived" << 13;
    // As deep and as long as the language allows: SQLite must be able to take it.
    QString deepest = "status = failed";
    for (int level = 0; level < 4; ++level)
        deepest = "not (demo or name ~ x and " + deepest + ") and step >= 0";
    QTest::newRow("deepest") << deepest << -1;
    QTest::newRow("longest") << "prm or " + QString("a ").repeated(198) + "b" << 5;
    QTest::newRow("archived") << "archived" << 0;
}

void TestRunStore::listsRuns()
{
    QFETCH(QString, filter);
    QFETCH(int, matching);
    RunQuery query;
    query.filter = filter.toStdString();
    const auto page = m_reader->runs(query);
    QVERIFY_RESULT(page);
    if (matching < 0) // only whether it is understood
        return;
    QCOMPARE(page->matching, matching);
    QCOMPARE(page->rows.size(), static_cast<std::size_t>(matching));
    QCOMPARE(page->total, 13);
}

void TestRunStore::findsRuns_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("index"); // -1 = not found
    QTest::newRow("name") << "demo-frozen" << 2;
    QTest::newRow("last") << "last" << 12;
    QTest::newRow("id") << QString::fromStdString(m_sample.runs[4]) << 4;
    QTest::newRow("beginning of an id") << QString::fromStdString(m_sample.runs[5].substr(0, 9)) << 5;
    QTest::newRow("nothing") << "no-such-run" << -1;
}

void TestRunStore::findsRuns()
{
    QFETCH(QString, text);
    QFETCH(int, index);
    const auto id = m_reader->findRun(text.toStdString());
    if (index < 0) {
        QVERIFY(!id.ok());
        QCOMPARE(id.error().code, ErrorCode::NotFound);
        return;
    }
    QVERIFY_RESULT(id);
    QCOMPARE(*id, m_sample.runs[static_cast<std::size_t>(index)]);
}

void TestRunStore::keepsSeries()
{
    const auto loss = m_reader->series(m_sample.full, "loss", 0, 0, 10'000);
    QVERIFY_RESULT(loss);
    QCOMPARE(loss->size(), std::size_t{600});
    QVERIFY(std::isnan((*loss)[332].last));
    QCOMPARE((*loss)[332].nonFinite, 1);
    const auto coarse = m_reader->series(m_sample.full, "gradient_norm", 0, 0, 20);
    QVERIFY_RESULT(coarse);
    QVERIFY(coarse->size() <= 20);
    const auto top = std::max_element(coarse->begin(), coarse->end(),
                                      [](const auto& a, const auto& b) { return a.maximum < b.maximum; });
    QVERIFY(top->maximum > 9.0); // the spike at step 222
    const auto steps = m_reader->steps(m_sample.full, 590, 100);
    QVERIFY_RESULT(steps);
    QCOMPARE(steps->size(), std::size_t{10});
    QCOMPARE(steps->front().step, 591);
}

void TestRunStore::keepsEvaluations()
{
    const auto evaluations = m_reader->evaluations(m_sample.full);
    QVERIFY_RESULT(evaluations);
    QCOMPARE(evaluations->size(), std::size_t{8});
    const auto run = m_reader->run(m_sample.full);
    QVERIFY_RESULT(run);
    QVERIFY(run->summary.headline.has_value());
    QCOMPARE(run->summary.headline->id, std::string("balanced_accuracy"));
    QCOMPARE(run->summary.headline->value, *evaluations->back().report.metric("balanced_accuracy")->value);
    QCOMPARE(*run->summary.headline->baseline, 0.571);
    QCOMPARE(run->summary.verdictBadge, std::string("learning"));
}

void TestRunStore::listsSolutions_data()
{
    QTest::addColumn<QString>("subset");
    QTest::addColumn<QString>("sort");
    QTest::newRow("all, largest error") << "all"
                                        << "largest-error";
    QTest::newRow("disagreements, file order") << "disagreements"
                                               << "file-order";
    QTest::newRow("false positives, first error") << "false-positives"
                                                  << "first-error";
    QTest::newRow("false alarms") << "false-alarms"
                                  << "largest-error";
    QTest::newRow("confident errors") << "confident-errors"
                                      << "largest-error";
}

void TestRunStore::listsSolutions()
{
    QFETCH(QString, subset);
    QFETCH(QString, sort);
    const auto evaluations = m_reader->evaluations(m_sample.full);
    QVERIFY_RESULT(evaluations);
    SolutionQuery query;
    query.evaluation = evaluations->back().id;
    query.subset = subset.toStdString();
    query.sort = sort.toStdString();
    const auto page = m_reader->solutions(query);
    QVERIFY_RESULT(page);
    QCOMPARE(page->subsetCounts.size(), std::size_t{5});
    QCOMPARE(page->subsetCounts[0], 60);
    for (const auto& row : page->rows) {
        bool missed = false, alarm = false, confident = false;
        for (std::size_t i = 0; i < row.labels.size(); ++i) {
            missed |= row.labels[i] < 0.5 && row.probabilities[i] >= 0.5;
            alarm |= row.labels[i] >= 0.5 && row.probabilities[i] < 0.5;
            confident |= std::fabs(row.labels[i] - row.probabilities[i]) >= 0.9;
        }
        if (subset == "disagreements")
            QVERIFY(missed || alarm);
        if (subset == "false-positives")
            QVERIFY(missed);
        if (subset == "false-alarms")
            QVERIFY(alarm);
        if (subset == "confident-errors")
            QVERIFY(confident);
    }
    for (std::size_t i = 1; i < page->rows.size(); ++i) {
        if (sort == "largest-error")
            QVERIFY(page->rows[i - 1].largestError >= page->rows[i].largestError);
        if (sort == "file-order")
            QVERIFY(page->rows[i - 1].ordinal < page->rows[i].ordinal);
    }
    query.filter = "label = 0 and p > 0.9 and step > 3";
    const auto filtered = m_reader->solutions(query);
    QVERIFY_RESULT(filtered);
    QVERIFY(filtered->subsetCounts[0] < 60);
}

void TestRunStore::keepsEventsAndCheckpoints()
{
    const auto events = m_reader->events(m_sample.full, 1000);
    QVERIFY_RESULT(events);
    QVERIFY(events->size() >= 12);
    QCOMPARE(events->back().kind, std::string("started"));
    const auto checkpoints = m_reader->checkpoints(m_sample.full);
    QVERIFY_RESULT(checkpoints);
    QCOMPARE(checkpoints->size(), std::size_t{4});
    QVERIFY(checkpoints->back().final);
}

QTEST_GUILESS_MAIN(TestRunStore)
#include "tst_run_store.moc"
