#include "core/eval/calibration.h"
#include "core/eval/ranking.h"
#include "core/eval/step_metrics.h"

#include <QtTest/QTest>

#include <cmath>

using namespace assay;

class TstStepMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalityFollowsTheRule_data()
    {
        QTest::addColumn<double>("score");
        QTest::addColumn<bool>("belowIsWrong");
        QTest::addColumn<bool>("aboveIsCorrect");
        QTest::newRow("below") << 0.49 << false << false;
        QTest::newRow("equal") << 0.5 << true << false;
        QTest::newRow("above") << 0.51 << true << true;
    }
    void equalityFollowsTheRule()
    {
        QFETCH(double, score);
        QTEST(predictedCorrect(score, 0.5, ThresholdRule::BelowIsWrong), "belowIsWrong");
        QTEST(predictedCorrect(score, 0.5, ThresholdRule::AboveIsCorrect), "aboveIsCorrect");
    }

    void bestThreshold_data()
    {
        QTest::addColumn<QList<double>>("scores");
        QTest::addColumn<QList<double>>("labels");
        QTest::addColumn<double>("threshold");
        QTest::addColumn<double>("balancedAccuracy");
        QTest::newRow("never below one half")
            << QList<double>{.9, .8, .95, .55, .6} << QList<double>{1, 1, 1, 0, 0} << .7 << 1.0;
        QTest::newRow("already at one half") << QList<double>{.1, .9} << QList<double>{0, 1} << .5 << 1.0;
        QTest::newRow("constant") << QList<double>{.7, .7, .7} << QList<double>{0, 1, 1} << .5 << .5;
        QTest::newRow("inverted") << QList<double>{.9, .1} << QList<double>{0, 1} << .1 << .5;
    }
    void bestThreshold()
    {
        QFETCH(QList<double>, scores);
        QFETCH(QList<double>, labels);
        const std::vector<double> s(scores.begin(), scores.end()), l(labels.begin(), labels.end());
        const auto best = RankedLabels(s, l).bestThreshold();
        QVERIFY(best.has_value());
        QTEST(best->threshold, "threshold");
        QTEST(best->balancedAccuracy, "balancedAccuracy");
        const auto counts = confusion(s, l, best->threshold, ThresholdRule::BelowIsWrong);
        QCOMPARE(*counts.balancedAccuracy().value, best->balancedAccuracy);
    }

    void softLabels()
    {
        const std::vector<double> p{0.7, 0.2}, y{0.75, 0.25};
        const double expected =
            -(0.75 * std::log(0.7) + 0.25 * std::log(0.3) + 0.25 * std::log(0.2) + 0.75 * std::log(0.8)) /
            2.0;
        QCOMPARE(*logLoss(p, y).value, expected);
        const std::vector<double> logits{std::log(0.7 / 0.3), std::log(0.2 / 0.8)};
        QVERIFY(std::abs(*logLossFromLogits(logits, y).value - expected) < 1e-12);
        QCOMPARE(*trivialLoss(y).value, std::log(2.0));
        QVERIFY(*skill(logLoss(p, y), trivialLoss(y)).value > 0.0);
    }

    void extremeLogitsStayFinite()
    {
        const std::vector<double> logits{800.0, -800.0}, wrong{0.0, 1.0}, right{1.0, 0.0};
        QCOMPARE(*logLossFromLogits(logits, wrong).value, 800.0);
        QCOMPARE(*logLossFromLogits(logits, right).value, 0.0);
    }

    void weightsEqualRepetition()
    {
        const std::vector<double> scores{.1, .4, .4, .8}, labels{0, 1, 0, 1};
        const std::vector<std::int32_t> weights{2, 0, 3, 1};
        const std::vector<double> repeated{.1, .1, .4, .4, .4, .8}, repeatedLabels{0, 0, 0, 0, 0, 1};
        QCOMPARE(*RankedLabels(scores, labels).auroc(weights).value, *auroc(repeated, repeatedLabels).value);
        QCOMPARE(*RankedLabels(scores, labels).averagePrecisionWrong(weights).value,
                 *RankedLabels(repeated, repeatedLabels).averagePrecisionWrong().value);
        const std::vector<std::int32_t> oneClass{1, 0, 1, 0};
        QVERIFY(!RankedLabels(scores, labels).auroc(oneClass));
    }

    void tieRateCountsPairs()
    {
        const std::vector<double> labels{0, 1, 0, 1};
        QCOMPARE(*RankedLabels(std::vector<double>{.5, .5, .5, .5}, labels).tieRate().value, 1.0);
        QCOMPARE(*RankedLabels(std::vector<double>{.1, .4, .4, .8}, labels).tieRate().value, 0.25);
    }
};

QTEST_GUILESS_MAIN(TstStepMetrics)
#include "tst_step_metrics.moc"
