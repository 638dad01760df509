#include "core/base/random.h"
#include "core/store/run_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QTemporaryDir>

#include <cmath>
#include <limits>

using namespace assay;

namespace {

constexpr std::int64_t kPoints = 200'000;

} // namespace

/// The pyramid over a long series: whatever the zoom, extremes and counts are those of the points themselves.
class TestSeriesRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void keepsExtremes_data();
    void keepsExtremes();
    void keepsEveryRecord();
    void opensQuickly();

private:
    QTemporaryDir m_folder;
    RunId m_run;
    std::vector<double> m_values; ///< [kPoints], loss of step i + 1
    std::unique_ptr<RunReader> m_reader;
};

void TestSeriesRows::initTestCase()
{
    RandomStream random(5, "series");
    StorePlace place{std::filesystem::path(m_folder.path().toStdString())};
    auto writer = RunWriter::open(place);
    QVERIFY_RESULT(writer);
    NewRun run;
    run.name = "long";
    run.configJson = "{}";
    auto id = (*writer)->beginRun(run);
    QVERIFY_RESULT(id);
    m_run = *id;
    for (std::int64_t step = 1; step <= kPoints; ++step) {
        StepRecord record;
        record.step = step;
        record.loss = random.uniform();
        if (random.chance(1e-3))
            record.loss += (random.chance(0.5) ? 1.0 : -1.0) * 1000.0 * random.uniform();
        if (random.chance(1e-4))
            record.loss = random.chance(0.5) ? std::numeric_limits<double>::quiet_NaN()
                                             : std::numeric_limits<double>::infinity();
        record.learningRate = 1e-4;
        record.tokens = 1000 + step % 7;
        record.seconds = 0.5;
        record.skipped = !std::isfinite(record.loss);
        m_values.push_back(record.loss);
        QVERIFY_RESULT((*writer)->appendStep(m_run, record));
        if (step % 20'000 == 0)
            QVERIFY_RESULT((*writer)->flush());
    }
    QVERIFY_RESULT((*writer)->flush());
    auto reader = RunReader::open(place);
    QVERIFY_RESULT(reader);
    m_reader = std::move(reader).value();
}

void TestSeriesRows::keepsExtremes_data()
{
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::addColumn<qint64>("points");
    QTest::newRow("everything, few") << 0.0 << 0.0 << qint64{8};
    QTest::newRow("everything, one") << 0.0 << 0.0 << qint64{1};
    QTest::newRow("everything, screen") << 0.0 << 0.0 << qint64{1500};
    QTest::newRow("everything, all points") << 0.0 << 0.0 << qint64{kPoints};
    QTest::newRow("cut inside blocks") << 1000.0 << 150'001.0 << qint64{4};
    QTest::newRow("cut inside chunks") << 12'345.0 << 98'765.0 << qint64{150};
    QTest::newRow("a block's border") << 4096.0 << 8193.0 << qint64{10};
    QTest::newRow("raw") << 100.0 << 900.0 << qint64{1500};
    QTest::newRow("the loose end") << 196'600.0 << 200'000.0 << qint64{50};
    QTest::newRow("fractions") << 99.5 << 200.5 << qint64{1000};
    RandomStream random(6, "ranges");
    for (int i = 0; i < 40; ++i) {
        const auto a = random.between(1, kPoints), b = random.between(1, kPoints);
        QTest::addRow("random %d", i)
            << static_cast<double>(std::min(a, b)) << static_cast<double>(std::max(a, b))
            << qint64{random.between(1, 3000)};
    }
}

void TestSeriesRows::keepsExtremes()
{
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(qint64, points);
    const auto series = m_reader->series(m_run, "loss", from, to, points);
    QVERIFY_RESULT(series);
    QVERIFY2(static_cast<qint64>(series->size()) <= std::max<qint64>(points, 2),
             qPrintable(QString::number(series->size())));
    auto step = static_cast<std::int64_t>(from == 0.0 ? 1.0 : std::ceil(from));
    for (const auto& bucket : *series) {
        double low = std::numeric_limits<double>::infinity(), high = -low, last = 0.0;
        std::int64_t nonFinite = 0;
        for (std::int64_t i = 0; i < bucket.count; ++i) {
            const double value = m_values[static_cast<std::size_t>(step + i - 1)];
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
                last = value;
            } else {
                ++nonFinite;
            }
        }
        step += bucket.count;
        QCOMPARE(static_cast<std::int64_t>(bucket.step), step - 1);
        QCOMPARE(bucket.nonFinite, nonFinite);
        if (nonFinite < bucket.count) {
            QCOMPARE(bucket.minimum, low);
            QCOMPARE(bucket.maximum, high);
            QCOMPARE(bucket.last, last);
        } else if (bucket.count == 1) {
            const double value = m_values[static_cast<std::size_t>(step - 2)];
            QVERIFY(std::isnan(value) ? std::isnan(bucket.last) : bucket.last == value);
        }
    }
    QCOMPARE(step - 1, static_cast<std::int64_t>(to == 0.0 ? kPoints : std::floor(to)));
}

void TestSeriesRows::keepsEveryRecord()
{
    const auto records = m_reader->steps(m_run, 0, 10 * kPoints);
    QVERIFY_RESULT(records);
    QCOMPARE(static_cast<std::int64_t>(records->size()), kPoints);
    for (std::size_t i = 0; i < records->size(); ++i) {
        const auto& record = (*records)[i];
        QCOMPARE(record.step, static_cast<std::int64_t>(i) + 1);
        QVERIFY(std::isnan(m_values[i]) ? std::isnan(record.loss) : record.loss == m_values[i]);
        QCOMPARE(record.tokens, 1000 + record.step % 7);
        QCOMPARE(record.skipped, !std::isfinite(m_values[i]));
    }
    const auto middle = m_reader->steps(m_run, 4000, 200);
    QVERIFY_RESULT(middle);
    QCOMPARE(middle->size(), std::size_t{200});
    QCOMPARE(middle->front().step, 4001);
    QCOMPARE(middle->back().step, 4200);
}

void TestSeriesRows::opensQuickly()
{
    QElapsedTimer timer;
    timer.start();
    const auto series = m_reader->series(m_run, "loss", 0, 0, 1500);
    QVERIFY_RESULT(series);
    const auto milliseconds = timer.elapsed();
    // A screenful of 200,000 points takes about 2 ms; the bound only catches reading all of them.
    QVERIFY2(milliseconds < 250, qPrintable(QString::number(milliseconds)));
}

QTEST_GUILESS_MAIN(TestSeriesRows)
#include "tst_series_rows.moc"
