#include "core/base/random.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "tests/support/test_data.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QTemporaryDir>

#include <time.h>

#include <cmath>
#include <thread>

using namespace assay;

namespace {

double processorSeconds(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Milliseconds of this thread's processor time, which other programs on the machine do not change, and of
/// the clock.
class Stopwatch
{
public:
    Stopwatch() { m_timer.start(); }
    double processor() const { return 1e3 * (processorSeconds(CLOCK_THREAD_CPUTIME_ID) - m_begin); }
    QString text() const
    {
        return QStringLiteral("%1 ms (clock %2 ms)").arg(processor(), 0, 'f', 1).arg(m_timer.elapsed());
    }

private:
    double m_begin = processorSeconds(CLOCK_THREAD_CPUTIME_ID);
    QElapsedTimer m_timer;
};

} // namespace

/// Large stores: figures are printed, bounds are several times what an idle machine needs.
class TestStoreScale : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void listsThousandsOfRuns();
    void logsAThousandStepsASecond();
    void zoomsMillionsOfPoints();
    void filtersManyPredictions();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
    std::unique_ptr<RunWriter> m_writer;
};

void TestStoreScale::init()
{
    m_writer.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_place.folder = m_folder->path().toStdString();
    m_writer = RunWriter::open(m_place).value();
}

void TestStoreScale::listsThousandsOfRuns()
{
    constexpr int runs = 5'000;
    {
        // As many runs would be written over months, in one transaction.
        Database database(m_place.database(), OpenMode::Write);
        Transaction transaction(database);
        RandomStream random(1, "runs");
        database.run("INSERT INTO metric_names (number, id, title) VALUES (1, 'auroc', 'AUROC')");
        for (int i = 1; i <= runs; ++i) {
            database.run(
                "INSERT INTO runs (number, id, name, status, created_ms, started_ms, headline_id, "
                "headline_title, "
                "headline_value, verdict_id, verdict_badge, last_evaluation) "
                "VALUES (?, printf('%012x', ?), ?, 'finished', ?, ?, 'auroc', 'AUROC', ?, 'learning', "
                "'learning', ?)",
                i, i, "prm-run-" + std::to_string(i), i, i, random.uniform(), i);
            database.run(
                "INSERT INTO evaluations (id, run, attempt, step, at_ms, examples, read_outs, report_json) "
                "VALUES (?, ?, 1, 10, 0, 0, 0, '')",
                i, i);
            database.run("INSERT INTO metrics (evaluation, metric, run, value) VALUES (?, 1, ?, ?)", i, i,
                         random.uniform());
            database.run("INSERT INTO tags (run, tag) VALUES (?, ?)", i, i % 3 == 0 ? "best" : "base");
        }
        transaction.commit();
    }
    const Stopwatch open;
    auto reader = RunReader::open(m_place);
    QVERIFY_RESULT(reader);
    const auto page = (*reader)->runs({});
    QVERIFY_RESULT(page);
    const QString openText = open.text();
    QVERIFY2(open.processor() < 500.0, "a run list must be usable within half a second");
    QCOMPARE(page->matching, runs);
    QCOMPARE(page->rows.size(), std::size_t{200});
    RunQuery query;
    query.filter = "auroc > 0.5 and tag = best and prm";
    query.sortColumn = "headline";
    const Stopwatch filter;
    const auto filtered = (*reader)->runs(query);
    QVERIFY_RESULT(filtered);
    QVERIFY2(filter.processor() < 500.0, "a filter must answer within half a second");
    QVERIFY(filtered->matching > 500 && filtered->matching < 1200);
    qInfo("%d runs: open and first page %s, filter by metric, tag and name %s", runs, qPrintable(openText),
          qPrintable(filter.text()));
}

void TestStoreScale::logsAThousandStepsASecond()
{
    NewRun run;
    run.name = "busy";
    const RunId id = m_writer->beginRun(run).value();
    const double before = processorSeconds(CLOCK_PROCESS_CPUTIME_ID);
    QElapsedTimer timer;
    timer.start();
    double caller = 0.0;
    std::int64_t step = 0;
    while (timer.elapsed() < 4'000) {
        const double begin = processorSeconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < 10; ++i) {
            StepRecord record;
            record.step = ++step;
            record.loss = 0.5;
            QVERIFY_RESULT(m_writer->appendStep(id, record));
        }
        QVERIFY_RESULT(m_writer->heartbeat(id, step, 1.0));
        QVERIFY_RESULT(m_writer->takeControls(id));
        caller += processorSeconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(10));
    }
    const double wall = static_cast<double>(timer.elapsed()) / 1e3;
    const double all = processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    qInfo("%.0f steps/s: %.2f %% of a core in all, %.2f %% in the training thread",
          static_cast<double>(step) / wall, 100.0 * all / wall, 100.0 * caller / wall);
    QVERIFY2(all / wall < 0.05, "logging costs too much");
}

void TestStoreScale::zoomsMillionsOfPoints()
{
    // ASSAY_SCALE_POINTS=10000000 for the full size.
    const auto points =
        std::max<std::int64_t>(100'000, qEnvironmentVariable("ASSAY_SCALE_POINTS", "1000000").toLongLong());
    NewRun run;
    run.name = "long";
    const RunId id = m_writer->beginRun(run).value();
    const std::int64_t spike = points / 3;
    for (std::int64_t step = 1; step <= points; ++step) {
        StepRecord record;
        record.step = step;
        record.loss = step == spike ? 1e6 : std::sin(static_cast<double>(step) * 1e-3);
        QVERIFY_RESULT(m_writer->appendStep(id, record));
        if (step % 100'000 == 0)
            QVERIFY_RESULT(m_writer->flush());
    }
    QVERIFY_RESULT(m_writer->flush());
    auto reader = RunReader::open(m_place);
    QVERIFY_RESULT(reader);
    double slowest = 0.0;
    for (double share = 1.0; share * static_cast<double>(points) > 500.0; share /= 3.0) {
        const double from =
            std::max(1.0, static_cast<double>(spike) - share * static_cast<double>(points) / 2.0);
        const Stopwatch zoom;
        const auto series =
            (*reader)->series(id, "loss", from, from + share * static_cast<double>(points), 1500);
        QVERIFY_RESULT(series);
        slowest = std::max(slowest, zoom.processor());
        qInfo("%.0f points: %s, %zu buckets", share * static_cast<double>(points), qPrintable(zoom.text()),
              series->size());
        const bool seen =
            std::any_of(series->begin(), series->end(), [](const auto& p) { return p.maximum == 1e6; });
        QVERIFY(seen);
    }
    QVERIFY2(slowest < 200.0, "a zoom must not be felt");
}

void TestStoreScale::filtersManyPredictions()
{
    constexpr int solutions = 25'000, stepsEach = 8;
    NewRun run;
    run.name = "many";
    const RunId id = m_writer->beginRun(run).value();
    const auto evaluation = m_writer->appendEvaluation(id, {}).value();
    RandomStream random(2, "predictions");
    std::vector<StoredPrediction> rows;
    for (int solution = 0; solution < solutions; ++solution)
        for (int step = 0; step < stepsEach; ++step)
            rows.push_back({evaluation, "example " + std::to_string(solution), step, step, 1, 0.0,
                            random.uniform(), random.chance(0.8) ? 1.0 : 0.0, true});
    const Stopwatch write;
    QVERIFY_RESULT(m_writer->appendPredictions(id, evaluation, rows));
    const QString writeText = write.text();
    auto reader = RunReader::open(m_place);
    QVERIFY_RESULT(reader);
    SolutionQuery query;
    query.evaluation = evaluation;
    const Stopwatch list;
    QVERIFY_RESULT((*reader)->solutions(query));
    const QString listText = list.text();
    query.filter = "label = 0 and p > 0.9 and step > 3";
    const Stopwatch filter;
    const auto page = (*reader)->solutions(query);
    QVERIFY_RESULT(page);
    const QString filterText = filter.text();
    // A million predictions within a second, and some reserve for slower machines.
    QVERIFY2(filter.processor() < 600.0, "a filter must answer within a second");
    query.subset = "confident-errors";
    const Stopwatch other;
    QVERIFY_RESULT((*reader)->solutions(query));
    QVERIFY(page->matching > 1000 && page->matching < 4000);
    qInfo("%d predictions: write %s, list %s, filter %s, other subset %s", solutions * stepsEach,
          qPrintable(writeText), qPrintable(listText), qPrintable(filterText), qPrintable(other.text()));
}

QTEST_GUILESS_MAIN(TestStoreScale)
#include "tst_store_scale.moc"
