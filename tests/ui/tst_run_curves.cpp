#include "ui/models/run_curves.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

using namespace assay;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Metric metric(const char* id, std::optional<double> value, const char* title = "")
{
    Metric made;
    made.id = id;
    made.title = title;
    made.value = value;
    if (value) {
        made.low = *value - 0.01;
        made.high = *value + 0.01;
    }
    return made;
}

EvaluationRecord evaluation(std::int64_t step, double auroc)
{
    EvaluationRecord record;
    record.step = step;
    record.loss = 1.0 - auroc;
    record.report.metrics = {
        metric("auroc", auroc),
        metric("accuracy", 0.9),
        metric("base_rate", 0.9),
        metric("trivial_loss", 0.325),
        metric("mcc", std::nullopt),
        metric("baseline_auroc_length", 0.55, "AUROC, null: length"),
        metric("baseline_auroc_position_length", 0.63, "AUROC, null: position and length"),
        metric("baseline_accuracy_position", 0.91, "Accuracy, null: position")};
    record.report.curves = {{"position_correct", "", {1, 2, 3}, {0.9, 0.8, 0.7}},
                            {"position_base_rate", "", {1, 2, 3}, {0.95, 0.9, 0.85}},
                            {"histogram_correct", "", {0.25, 0.75}, {1, 3}}};
    return record;
}

SeriesPoint point(double step, double minimum, double maximum, double last, std::int64_t count)
{
    return {step, minimum, maximum, last, 1, count};
}

} // namespace

class RunCurvesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bucketsKeepTheirSpikes()
    {
        RunSnapshot run;
        run.gradientNorm = {point(1, 1.0, 1.0, 1.0, 1), point(64, 0.5, 99.0, 0.7, 63)};
        const ChartContent content = gradientCurves(run, {}, {});
        const auto& line = content.lines.front();
        QCOMPARE(line.x, (std::vector<double>{1, 64, 64, 64}));
        QCOMPARE(line.y, (std::vector<double>{1.0, 0.5, 99.0, 0.7}));
        QCOMPARE(line.valueAt(64), 0.7);
        QCOMPARE(line.valueAt(63), 1.0);
        QVERIFY(std::isnan(line.valueAt(0)));
    }

    void nonFiniteLossIsMarkedAndNamedOnce()
    {
        RunSnapshot run;
        run.loss = {point(1, 0.7, 0.7, 0.7, 1), point(2, kNaN, kNaN, kNaN, 1), point(3, 0.6, 0.6, 0.6, 1)};
        EventRecord event;
        event.kind = "non-finite";
        event.step = 2;
        EventRecord hidden = event;
        hidden.step = 40; // inside a bucket whose last value is finite
        run.events = {event, hidden};
        const ChartContent content = lossCurves(run, {}, {}, {});
        QCOMPARE(content.marks.size(), std::size_t(2));
        QCOMPARE(content.marks[0].x, 2.0);
        QCOMPARE(content.marks[0].text, QStringLiteral("NaN"));
        QCOMPARE(content.marks[1].x, 40.0);
    }

    void everyMetricIsSeenAgainstItsBaselines()
    {
        const std::vector<EvaluationRecord> evaluations{evaluation(0, 0.5), evaluation(100, 0.8)};
        const ChartContent accuracy = accuracyCurves(evaluations, {}, {});
        QCOMPARE(accuracy.baselines.size(), std::size_t(2));
        QCOMPARE(accuracy.baselines[0].text, QStringLiteral("base rate 0.900"));
        QVERIFY(!accuracy.baselines[0].dotted);
        QCOMPARE(accuracy.baselines[1].text, QStringLiteral("null: position 0.910"));
        QVERIFY(accuracy.baselines[1].dotted);
        const ChartContent ranking = rankingCurves(evaluations, {}, {});
        QCOMPARE(ranking.baselines[0].value, 0.5);
        QCOMPARE(ranking.baselines[1].text, QStringLiteral("null AUROC 0.630"));
        QCOMPARE(ranking.lines[0].low.back(), 0.79);
        const ChartContent loss = lossCurves({}, evaluations, {}, {});
        QCOMPARE(loss.baselines[0].text, QStringLiteral("trivial 0.325"));
        QCOMPARE(loss.lines[1].y, (std::vector<double>{0.5, 1.0 - 0.8}));
        QCOMPARE(baselineWord(*bestBaseline(evaluations[0], "baseline_auroc_")),
                 QStringLiteral("position and length"));
    }

    void undefinedMetricsLeaveAGap()
    {
        auto first = evaluation(0, 0.5);
        first.report.metrics[1] = metric("accuracy", std::nullopt);
        const ChartContent content = accuracyCurves({first, evaluation(100, 0.8)}, {}, {});
        QVERIFY(std::isnan(content.lines[0].y[0]));
        QCOMPARE(content.lines[0].y[1], 0.9);
    }

    void positionsNameTheirBaseRateInThePlot()
    {
        const ChartContent content = positionCurves(evaluation(100, 0.8));
        QCOMPARE(content.lines.size(), std::size_t(2));
        QVERIFY(content.lines[1].name.isEmpty());
        QCOMPARE(content.notes.size(), std::size_t(1));
        QCOMPARE(content.notes[0].y, 0.9);
        QCOMPARE(histogram(evaluation(0, 0.5), "histogram_correct"), (std::vector<double>{1, 3}));
        QVERIFY(histogram(evaluation(0, 0.5), "histogram_wrong").empty());
    }

    void theClockTurnsStepsIntoTokensAndTime_data()
    {
        QTest::addColumn<double>("step");
        QTest::addColumn<double>("tokens");
        QTest::addColumn<double>("seconds");
        QTest::newRow("begin") << 0.0 << 0.0 << 0.0;
        QTest::newRow("first") << 1.0 << 100.0 << 1.0;
        QTest::newRow("between") << 1.5 << 200.0 << 2.0;
        QTest::newRow("last") << 2.0 << 300.0 << 3.0;
        QTest::newRow("beyond, at the average pace") << 4.0 << 600.0 << 6.0;
    }

    void theClockTurnsStepsIntoTokensAndTime()
    {
        QFETCH(double, step);
        QFETCH(double, tokens);
        QFETCH(double, seconds);
        RunClock clock;
        clock.add({{1, 100, 1.0}, {2, 200, 2.0}});
        clock.add({{2, 200, 2.0}}); // known already
        QCOMPARE(clock.at(step, XAxis::Tokens), tokens);
        QCOMPARE(clock.at(step, XAxis::Seconds), seconds);
        QCOMPARE(clock.at(step, XAxis::Step), step);
        QCOMPARE(clock.stepAt(tokens, XAxis::Tokens), step);
        QCOMPARE(clock.stepAt(seconds, XAxis::Seconds), step);
    }

    void smoothingIsUnbiasedAndKnowsDistances()
    {
        const std::vector<double> flat = smoothed({1, 2, 3, 1000}, {5, 5, 5, 5}, 0.9);
        for (const double value : flat)
            QCOMPARE(value, 5.0);
        // Two points: the weights are (1 - w) w and (1 - w), divided by their sum.
        const std::vector<double> two = smoothed({1, 2}, {0.0, 1.0}, 0.5);
        QCOMPARE(two[1], 0.5 / 0.75);
        // After a long way the past counts nothing.
        QVERIFY(std::abs(smoothed({1, 500}, {0.0, 1.0}, 0.9)[1] - 1.0) < 1e-9);
        const std::vector<double> broken = smoothed({1, 2, 3}, {1.0, kNaN, 1.0}, 0.9);
        QVERIFY(std::isnan(broken[1]));
        QCOMPARE(broken[2], 1.0);
    }

    void smoothingKeepsTheRawCurveBehind()
    {
        RunSnapshot run;
        run.loss = {point(1, 1, 1, 1, 1), point(2, 3, 3, 3, 1)};
        const ChartContent content = lossCurves(run, {}, {XAxis::Step, 0.9}, {});
        QCOMPARE(content.lines[0].y, (std::vector<double>{1, 3}));
        QVERIFY(content.lines[0].opacity < 1.0);
        QVERIFY(content.lines[0].name.isEmpty());
        QCOMPARE(content.lines[1].name, QStringLiteral("train"));
        QVERIFY(content.lines[1].y[1] < 3.0);
    }

    void remainingTimeFollowsTheSlowerPace()
    {
        RunSnapshot run;
        run.details.summary.step = 100;
        run.details.summary.plannedSteps = 300;
        run.details.summary.seconds = 200.0; // with evaluations: 2 s a step
        run.pace.secondsPerStep = 1.0;
        QCOMPARE(remainingSeconds(run).value(), 400.0);
        run.pace.secondsPerStep = 3.0;
        QCOMPARE(remainingSeconds(run).value(), 600.0);
        run.details.summary.step = 300;
        QVERIFY(!remainingSeconds(run));
    }
};

QTEST_GUILESS_MAIN(RunCurvesTest)
#include "tst_run_curves.moc"
