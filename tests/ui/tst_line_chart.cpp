#include "ui/experiment/preflight/row_length_chart.h"
#include "ui/plots/chart_style.h"
#include "ui/plots/histogram_chart.h"
#include "ui/plots/line_chart.h"
#include "ui/steps/token_view.h"

#include <QSignalSpy>
#include <QtTest/QTest>

#include <numeric>

using namespace assay;

namespace {

ChartLine line(std::size_t points)
{
    ChartLine made;
    made.name = QStringLiteral("train");
    for (std::size_t i = 0; i < points; ++i) {
        made.x.push_back(static_cast<double>(i));
        made.y.push_back(static_cast<double>(i % 7));
    }
    return made;
}

} // namespace

class LineChartTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void growingLinesAreAppended()
    {
        LineChart chart;
        chart.setLines({line(1000)});
        QCOMPARE(chart.takeDrawnPoints(), 1000);
        chart.setLines({line(1010)});
        QCOMPARE(chart.takeDrawnPoints(), 10);
        chart.setLines({line(1010)});
        QCOMPARE(chart.takeDrawnPoints(), 0);
        ChartLine other = line(1010);
        other.y.front() = 5.0;
        chart.setLines({other});
        QCOMPARE(chart.takeDrawnPoints(), 1010);
    }

    void theCursorTouchesNoCurve()
    {
        LineChart chart;
        chart.resize(400, 250);
        chart.setLines({line(1000)});
        chart.takeDrawnPoints();
        for (int x = 0; x < 100; ++x)
            chart.setCursor(x);
        QCOMPARE(chart.takeDrawnPoints(), 0);
        QCOMPARE(chart.cursor(), std::optional<double>(99.0));
    }

    void zoomIsLinkedWithoutEchoAndReset()
    {
        LineChart chart;
        QSignalSpy ranges(&chart, &LineChart::rangeChosen);
        chart.setFullRange(0, 100);
        chart.setVisibleRange(20, 40);
        QCOMPARE(ranges.count(), 0);
        QVERIFY(chart.zoomed());
        QCOMPARE(chart.visibleLower(), 20.0);
        chart.setFullRange(0, 200); // a run that goes on does not move a zoomed view
        QCOMPARE(chart.visibleUpper(), 40.0);
        chart.showAll();
        QCOMPARE(chart.visibleUpper(), 200.0);
        QVERIFY(!chart.zoomed());
    }

    void theWheelZoomsAtThePointer()
    {
        LineChart chart;
        chart.resize(400, 250);
        chart.setFullRange(0, 100);
        chart.setLines({line(100)});
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QSignalSpy ranges(&chart, &LineChart::rangeChosen);
        QWidget* plot = chart.findChild<QWidget*>();
        const QPointF at = plot->rect().center();
        QWheelEvent wheel(at, plot->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(plot, &wheel);
        QVERIFY(ranges.count() > 0);
        QVERIFY(chart.visibleUpper() - chart.visibleLower() < 100.0);
        QTest::mouseDClick(plot, Qt::LeftButton, {}, plot->rect().center());
        QCOMPARE(chart.visibleUpper() - chart.visibleLower(), 100.0);
    }

    void arrowKeysStepTheCursor()
    {
        LineChart chart;
        QSignalSpy steps(&chart, &LineChart::cursorStepped);
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(steps.count(), 2);
        QCOMPARE(steps[0][0].toInt(), 1);
        QCOMPARE(steps[1][0].toInt(), -10);
    }

    void theRangeHoldsWhatIsVisible_data()
    {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("upper");
        // Values 0, 10, 4 at 0, 1, 2; a baseline at 5; 6 % of air.
        QTest::newRow("all") << 0.0 << 2.0 << -0.6 << 10.6;
        QTest::newRow("the spike is out of sight") << 2.0 << 3.0 << 4.0 - 0.06 << 5.0 + 0.06;
        QTest::newRow("only the baseline") << 5.0 << 6.0 << 5.0 - 0.25 << 5.25;
    }

    void theRangeHoldsWhatIsVisible()
    {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(double, lower);
        QFETCH(double, upper);
        ChartLine made;
        made.x = {0, 1, 2};
        made.y = {0, 10, 4};
        const auto range =
            valueRange({made}, {{QStringLiteral("base"), 5.0, false}}, false, from, to, {}, {});
        QCOMPARE(range.first, lower);
        QCOMPARE(range.second, upper);
        const auto limited = valueRange({made}, {}, false, 0.0, 2.0, 0.0, {});
        QCOMPARE(limited.first, 0.0);                                         // nothing below what cannot be
        QCOMPARE(valueRange({made}, {}, true, 0.0, 2.0, {}, {}).second, 1.0); // nothing on that axis
        made.y = {0, 0, 0};
        QCOMPARE(valueRange({made}, {}, false, 0.0, 2.0, 0.0, {}), std::pair(0.0, 1.0)); // nothing but zeros
    }

    void tickLabelsAreTheirValues_data()
    {
        QTest::addColumn<double>("step");
        QTest::addColumn<int>("decimals");
        QTest::newRow("2.5 is not 3") << 2.5 << 1;
        QTest::newRow("whole") << 5.0 << 0;
        QTest::newRow("hundreds") << 200.0 << 0;
        QTest::newRow("tenths") << 0.1 << 1;
        QTest::newRow("quarters") << 0.25 << 2;
        QTest::newRow("small") << 0.0025 << 4;
        QTest::newRow("tiny") << 1e-9 << 6;
        QTest::newRow("none") << 0.0 << 0;
    }

    void tickLabelsAreTheirValues()
    {
        QFETCH(double, step);
        QFETCH(int, decimals);
        QCOMPARE(chart::tickDecimals(step), decimals);
    }

    void rowLengthsHaveRoundTicks_data()
    {
        QTest::addColumn<double>("span");
        QTest::addColumn<double>("step");
        QTest::newRow("one bin") << 1.0 << 1.0;
        QTest::newRow("75") << 75.0 << 20.0;
        QTest::newRow("five of them") << 100.0 << 20.0;
        QTest::newRow("1,187") << 1187.0 << 500.0;
        QTest::newRow("long rows") << 40000.0 << 10000.0;
    }

    void rowLengthsHaveRoundTicks()
    {
        QFETCH(double, span);
        QFETCH(double, step);
        QCOMPARE(RowLengthChart::tickStep(span), step);
    }

    void tokensThatAreAllLabelledFlow()
    {
        // Every token its own step, as where ignored positions became labels; beside it one step of as many.
        std::vector<TokenView::Token> each, one;
        for (int i = 0; i < 12; ++i) {
            each.push_back({i, "word", "step", i, true, true, 1.0F});
            one.push_back({i, "word", "step", 0, false, false, 0.0F});
        }
        TokenStrip labelled, plain;
        labelled.setTokens(each);
        plain.setTokens(one);
        QCOMPARE(labelled.heightForWidth(800), plain.heightForWidth(800)); // one line each
        QVERIFY(labelled.heightForWidth(200) > labelled.heightForWidth(800));
        one[6].step = one[7].step = 1; // steps of several tokens begin a line each
        plain.setTokens(one);
        QVERIFY(plain.heightForWidth(800) > labelled.heightForWidth(800));
    }

    void chartsAreSaidInWords()
    {
        LineChart chart;
        chart.setMarks({{3.0, QStringLiteral("NaN")}});
        chart.setBaselines({{QStringLiteral("trivial 0.647"), 0.647, false}});
        chart.setLines({line(3)});
        QCOMPARE(chart.accessibleDescription(),
                 QStringLiteral("train 2.000 at the end; trivial 0.647; NaN at 3"));
    }

    void histogramsAreNormalisedApart()
    {
        HistogramChart chart;
        chart.setHistograms({1, 3}, {10, 0});
        QCOMPARE(chart.correct(), (std::vector<double>{25, 75}));
        QCOMPARE(chart.wrong(), (std::vector<double>{100, 0}));
        chart.setHistograms({0, 0}, {});
        QCOMPARE(chart.correct(), (std::vector<double>{0, 0}));
    }
};

QTEST_MAIN(LineChartTest)
#include "tst_line_chart.moc"
