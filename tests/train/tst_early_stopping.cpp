// When training ends early: patience counts evaluations that do not beat the best by more than the margin.
#include "core/train/early_stopping.h"

#include <QtTest/QTest>

#include <limits>

using namespace assay;
using Values = QList<double>;

class TestEarlyStopping : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stops_data()
    {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        QTest::addColumn<BetterValue>("better");
        QTest::addColumn<Values>("values");
        QTest::addColumn<int>("stopsAt"); // index of the evaluation; -1 = never
        QTest::addColumn<double>("margin");
        const auto larger = BetterValue::Larger, smaller = BetterValue::Smaller;
        QTest::newRow("always better") << larger << Values{0.5, 0.6, 0.7, 0.8} << -1 << 0.0;
        QTest::newRow("two in a row") << larger << Values{0.5, 0.6, 0.6, 0.5} << 3 << 0.0;
        QTest::newRow("one in between is forgiven") << larger << Values{0.5, 0.4, 0.6, 0.5, 0.7} << -1 << 0.0;
        QTest::newRow("equal is no improvement") << larger << Values{0.5, 0.5, 0.5} << 2 << 0.0;
        QTest::newRow("slow rise within the margin") << larger << Values{0.50, 0.505, 0.51} << 2 << 0.02;
        QTest::newRow("margin is measured from the best, not the last")
            << larger << Values{0.50, 0.51, 0.53, 0.54} << -1 << 0.02;
        QTest::newRow("loss falls") << smaller << Values{0.9, 0.8, 0.7} << -1 << 0.0;
        QTest::newRow("loss rises") << smaller << Values{0.9, 0.95, 1.0} << 2 << 0.0;
        QTest::newRow("undefined is no improvement") << larger << Values{0.5, none, none} << 2 << 0.0;
        QTest::newRow("nothing to improve on yet") << larger << Values{none, none, none, none} << -1 << 0.0;
        QTest::newRow("begins with the first value") << larger << Values{none, none, 0.5, 0.4} << -1 << 0.0;
    }
    void stops()
    {
        QFETCH(BetterValue, better);
        QFETCH(Values, values);
        QFETCH(int, stopsAt);
        QFETCH(double, margin);
        EarlyStopping stopping(2, margin, better);
        int stopped = -1;
        for (int i = 0; i < values.size() && stopped < 0; ++i) {
            stopping.observe(i, values[i] == values[i] ? std::optional(values[i]) : std::nullopt);
            if (stopping.shouldStop())
                stopped = i;
        }
        QCOMPARE(stopped, stopsAt);
    }

    void reasonNamesTheBest()
    {
        EarlyStopping stopping(2, 0.0, BetterValue::Larger);
        for (const auto& [step, value] : {std::pair(10, 0.5), {20, 0.75}, {30, 0.7}, {40, 0.6}})
            stopping.observe(step, value);
        QVERIFY(stopping.shouldStop());
        QCOMPARE(QString::fromStdString(stopping.reason("AUROC")),
                 QStringLiteral("AUROC has not improved on 0.75 (step 20) in 2 evaluations"));
    }

    void aMetricWithoutABetterSideNeverStops()
    {
        EarlyStopping stopping(1, 0.0, std::nullopt);
        for (int step = 0; step < 5; ++step)
            stopping.observe(step, 0.5);
        QVERIFY(!stopping.shouldStop());
    }
};

QTEST_GUILESS_MAIN(TestEarlyStopping)
#include "tst_early_stopping.moc"
