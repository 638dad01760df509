// Temperatures that are fitted, answers whose steps become one reward, and what is no scale.
#include "core/eval/reward_scale.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

#include <cmath>

using namespace assay;

namespace {

double lossAt(const std::vector<LabelledOutput>& rows, double temperature)
{
    double loss = 0.0;
    for (const auto& row : rows) {
        const double x = row.output / temperature;
        loss += std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0) - row.label * x;
    }
    return loss;
}

} // namespace

class TestRewardScale : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wholes_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("reward");
        QTest::newRow("last") << "last" << 0.8;
        QTest::newRow("min") << "min" << 0.25;
        QTest::newRow("mean") << "mean" << (0.5 + 0.25 + 0.8) / 3.0;
        QTest::newRow("product") << "product" << 0.1;
    }
    void wholes()
    {
        QFETCH(QString, id);
        QFETCH(double, reward);
        RewardScale scale;
        const std::vector<double> steps{0.5, 0.25, 0.8};
        QVERIFY(!scale.whole(steps));
        scale.aggregation = aggregationFromId(id.toStdString());
        QVERIFY(scale.aggregation);
        QCOMPARE(QString::fromStdString(std::string(aggregationId(*scale.aggregation))), id);
        QCOMPARE(*scale.whole(steps), reward);
        QVERIFY(!scale.whole({}));
    }

    void scales()
    {
        RewardScale scale;
        scale.temperature = 2.0;
        scale.centre = 1.0;
        QCOMPARE(scale.reward(4.0), 1.5);
        scale.centre = 0.0;
        QCOMPARE(scale.probability(2.0), 1.0 / (1.0 + std::exp(-1.0)));
        QCOMPARE(scale.probability(-4000.0), 0.0);
        QCOMPARE(scale.probability(4000.0), 1.0);
        QVERIFY(RewardScale().text().empty());
        scale.threshold = 0.25;
        scale.aggregation = Aggregation::Minimum;
        QCOMPARE(scale.text(), std::string("temperature 2, threshold 0.25, reward of the answer: min"));
    }

    /// Half of the rows of every output o are right with the share sigmoid(o / 3): that is the temperature.
    void fitsWhatMadeTheLabels()
    {
        std::vector<LabelledOutput> rows;
        for (const double output : {-6.0, -2.0, -0.5, 0.0, 1.0, 4.0})
            rows.push_back({output, 1.0 / (1.0 + std::exp(-output / 3.0))});
        const auto soft = fitTemperature(rows);
        QVERIFY_RESULT(soft);
        QVERIFY(std::abs(*soft - 3.0) < 1e-9);
        // Hard labels: no neighbour has a smaller loss.
        const std::vector<LabelledOutput> hard{{2.0, 1},   {1.5, 0}, {-1.0, 0},
                                               {-0.25, 1}, {3.0, 1}, {-2.0, 0}};
        const auto fitted = fitTemperature(hard);
        QVERIFY_RESULT(fitted);
        for (const double other : {*fitted * 0.99, *fitted * 1.01, 1.0})
            QVERIFY(lossAt(hard, *fitted) <= lossAt(hard, other));
    }

    void nothingFits_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("said");
        QTest::newRow("no rows") << 0 << "no row";
        QTest::newRow("separated") << 1 << "perfectly";
        QTest::newRow("inverted") << 2 << "no better than chance";
        QTest::newRow("equal outputs") << 3 << "no better than chance";
    }
    void nothingFits()
    {
        QFETCH(int, kind);
        QFETCH(QString, said);
        std::vector<LabelledOutput> rows;
        if (kind == 1)
            rows = {{1.0, 1.0}, {-2.0, 0.0}};
        if (kind == 2)
            rows = {{1.0, 0.0}, {-2.0, 1.0}, {0.5, 1.0}};
        if (kind == 3)
            rows = {{0.0, 0.0}, {0.0, 1.0}};
        const auto fitted = fitTemperature(rows);
        QVERIFY(!fitted.ok());
        QVERIFY2(fitted.error().message.find(said.toStdString()) != std::string::npos,
                 fitted.error().text().c_str());
    }

    void refused_data()
    {
        QTest::addColumn<double>("temperature");
        QTest::addColumn<double>("centre");
        QTest::addColumn<double>("threshold");
        QTest::newRow("temperature 0") << 0.0 << 0.0 << 0.5;
        QTest::newRow("temperature below 0") << -1.0 << 0.0 << 0.5;
        QTest::newRow("temperature no number") << double(NAN) << 0.0 << 0.5;
        QTest::newRow("centre infinite") << 1.0 << double(INFINITY) << 0.5;
        QTest::newRow("threshold above 1") << 1.0 << 0.0 << 1.5;
        QTest::newRow("threshold no number") << 1.0 << 0.0 << double(NAN);
    }
    void refused()
    {
        QFETCH(double, temperature);
        QFETCH(double, centre);
        QFETCH(double, threshold);
        QVERIFY(!(RewardScale{temperature, centre, threshold, {}}).check().ok());
        QVERIFY((RewardScale{2.0, -3.0, 0.0, Aggregation::Mean}).check().ok());
    }
};

QTEST_APPLESS_MAIN(TestRewardScale)
#include "tst_reward_scale.moc"
