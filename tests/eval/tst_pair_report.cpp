// The report on preference pairs: ties, intervals, rulers, curves, and what is undefined.
#include "core/base/random.h"
#include "core/eval/pairs/pair_metrics.h"
#include "core/eval/pairs/pair_report.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

using namespace assay;

namespace {

struct Pair
{
    double chosen, rejected;
    int chosenTokens = 10, rejectedTokens = 10;
    const char* group = nullptr; ///< null = a prompt of its own
};

EvaluatedSet setOf(const std::vector<Pair>& pairs)
{
    EvaluatedSet set;
    for (const auto& pair : pairs) {
        const auto index = static_cast<std::int32_t>(set.examples.size());
        const std::string id = std::to_string(index);
        set.examples.push_back({id, pair.group ? pair.group : id, index, 2});
        for (const bool chosen : {true, false})
            set.predictions.push_back({.example = index,
                                       .readOut = chosen ? 0 : 1,
                                       .step = -1,
                                       .score = static_cast<float>(chosen ? pair.chosen : pair.rejected),
                                       .label = chosen ? 1.0F : 0.0F,
                                       .supervised = true,
                                       .tokens = chosen ? pair.chosenTokens : pair.rejectedTokens});
    }
    return set;
}

double valueOf(const Report& report, std::string_view id)
{
    const Metric* metric = report.metric(id);
    return metric && metric->value ? *metric->value : std::nan("");
}

const Curve& curveOf(const Report& report, std::string_view id)
{
    for (const auto& curve : report.curves)
        if (curve.id == id)
            return curve;
    static const Curve kNone;
    return kNone;
}

/// Rewards that follow the preference with noise, in groups of `perGroup` pairs that share their noise.
std::vector<Pair> noisyPairs(int count, double signal, int perGroup)
{
    RandomStream random(3, "pairs");
    std::vector<Pair> pairs;
    double shared = 0.0;
    static std::vector<std::unique_ptr<std::string>> kept;
    for (int i = 0; i < count; ++i) {
        if (i % perGroup == 0) {
            kept.push_back(std::make_unique<std::string>("g" + std::to_string(i)));
            shared = random.normal();
        }
        const double noise = perGroup > 1 ? shared : random.normal();
        pairs.push_back({signal + noise, 0.0, 10 + i % 3, 10, kept.back()->c_str()});
    }
    return pairs;
}

} // namespace

class TestPairReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTieCountsOneHalf()
    {
        const auto report = pairReport(setOf({{1.5, 0.5}, {0.25, 0.25}, {-0.25, 0.5}, {2.0, 1.0}}));
        QCOMPARE(valueOf(report, "pair_accuracy"), 2.5 / 4.0);
        QCOMPARE(valueOf(report, "tie_rate"), 0.25);
        QCOMPARE(valueOf(report, "margin_mean"), (1.0 - 0.75 + 1.0) / 4.0);
        QCOMPARE(valueOf(report, "margin_median"), 0.5);
        QCOMPARE(valueOf(report, "reward_minimum"), -0.25);
        QCOMPARE(valueOf(report, "reward_maximum"), 2.0);
        QCOMPARE(valueOf(report, "pairs"), 4.0);
        QVERIFY(std::abs(valueOf(report, "trivial_loss") - std::log(2.0)) < 1e-12);
    }

    void equalRewardsAreTheTrivialLoss()
    {
        const auto report = pairReport(setOf({{1.0, 1.0}, {2.0, 2.0}}));
        QVERIFY(std::abs(valueOf(report, "loss") - std::log(2.0)) < 1e-12);
        QVERIFY(std::abs(valueOf(report, "skill")) < 1e-12);
        QCOMPARE(valueOf(report, "tie_rate"), 1.0);
        QCOMPARE(valueOf(report, "margin_spread"), 0.0);
    }

    void rulersStandBesideTheModel()
    {
        // The longer answer is chosen in two of four, one is as long, one is shorter.
        const auto report =
            pairReport(setOf({{1.0, 0.0, 20, 10}, {0.0, 1.0, 15, 10}, {1.0, 0.0, 8, 9}, {1.0, 0.0, 7, 7}}));
        QCOMPARE(valueOf(report, "baseline_accuracy_longest"), 2.5 / 4.0);
        QCOMPARE(valueOf(report, "baseline_accuracy_shortest"), 1.5 / 4.0);
        QCOMPARE(valueOf(report, "gain_over_length"), 0.75 - 0.625);
        QCOMPARE(valueOf(report, "accuracy_chosen_longer"), 0.5);
        QCOMPARE(valueOf(report, "accuracy_chosen_shorter"), 1.0);
    }

    void everyPromptWeighsTheSameInGroupAccuracy()
    {
        const auto report =
            pairReport(setOf({{1, 0, 1, 1, "a"}, {1, 0, 1, 1, "a"}, {1, 0, 1, 1, "a"}, {0, 1, 1, 1, "b"}}));
        QCOMPARE(valueOf(report, "pair_accuracy"), 0.75);
        QCOMPARE(valueOf(report, "group_accuracy"), 0.5);
    }

    void intervalsHoldTheEstimateAndGrowWithClusters()
    {
        const auto width = [](int perGroup) {
            const auto report = pairReport(setOf(noisyPairs(300, 0.3, perGroup)));
            const auto* metric = report.metric("pair_accuracy");
            if (!metric->low || *metric->low >= *metric->value || *metric->high <= *metric->value)
                return std::nan("");
            return *metric->high - *metric->low;
        };
        // Ten pairs that share their noise are hardly more than one: an interval over pairs would hide it.
        QVERIFY(width(10) > 1.8 * width(1));
    }

    void withoutResamplesTheIntervalIsWilsons()
    {
        const auto report = pairReport(setOf({{1, 0}, {1, 0}, {1, 0}, {0, 1}}), {.bootstrapSamples = 0});
        const auto *accuracy = report.metric("pair_accuracy"),
                   *wilson = report.metric("pair_accuracy_wilson");
        QVERIFY(accuracy->low && wilson->low);
        QCOMPARE(*accuracy->low, *wilson->low);
        QVERIFY(*accuracy->high < 1.0);
        QVERIFY(!report.metric("margin_mean")->low);
    }

    void theLossMayBeTheObjectives()
    {
        const auto report = pairReport(setOf({{1, 0}, {1, 0}}), {.loss = 0.9, .trivialLoss = 1.2});
        QCOMPARE(valueOf(report, "loss"), 0.9);
        QCOMPARE(valueOf(report, "trivial_loss"), 1.2);
        QCOMPARE(valueOf(report, "skill"), 1.0 - 0.9 / 1.2);
        QVERIFY(std::abs(valueOf(report, "log_loss") - std::log1p(std::exp(-1.0))) < 1e-7);
    }

    /// Margins and centring are part of the loss, and of its interval.
    void theObjectivesLossHasAnInterval_data()
    {
        QTest::addColumn<double>("margin");
        QTest::addColumn<double>("centring");
        QTest::newRow("log loss") << 0. << 0.;
        QTest::newRow("margins") << 2. << 0.;
        QTest::newRow("centring") << 0. << .5;
    }
    void theObjectivesLossHasAnInterval()
    {
        QFETCH(double, margin);
        QFETCH(double, centring);
        std::vector<Pair> rewards;
        double loss = 0.0;
        for (int i = 0; i < 40; ++i) {
            rewards.push_back({static_cast<double>(i % 5), static_cast<double>(i % 3)});
            loss += pairLogLoss(i % 5 - i % 3 - margin) + centring * std::pow(i % 5 + i % 3, 2);
        }
        loss /= 40.0;
        PairReportOptions options;
        options.loss = loss;
        options.margins.assign(40, margin);
        options.centring = centring;
        const auto report = pairReport(setOf(rewards), options);
        const auto* metric = report.metric("loss");
        QVERIFY(metric->low && metric->high);
        QVERIFY(*metric->low < loss && loss < *metric->high);
    }

    void undefined_data()
    {
        QTest::addColumn<bool>("empty");
        QTest::newRow("no pairs") << true;
        QTest::newRow("non-finite score in pair 1") << false;
    }
    void undefined()
    {
        QFETCH(bool, empty);
        const auto report = pairReport(
            empty ? EvaluatedSet{} : setOf({{1, 0}, {1, std::numeric_limits<double>::infinity()}, {0, 1}}));
        for (const char* id : {"loss", "pair_accuracy", "tie_rate", "margin_mean", "pooled_auroc"}) {
            QVERIFY2(!report.metric(id)->value, id);
            QCOMPARE(report.metric(id)->undefinedReason, std::string(QTest::currentDataTag()));
        }
    }

    void marginsSplitAtZero()
    {
        const auto report = pairReport(setOf({{1.0, 0.0}, {0.5, 0.0}, {0.0, 1e-6}, {2.0, 2.0}}));
        const auto& histogram = curveOf(report, "margin_histogram");
        QCOMPARE(histogram.x.size(), std::size_t{24});
        double right = 0.0, wrong = 0.0;
        for (std::size_t i = 0; i < histogram.x.size(); ++i)
            (histogram.x[i] > 0.0 ? right : wrong) += histogram.y[i];
        QCOMPARE(right, 2.5 / 4.0);
        QCOMPARE(wrong, 1.5 / 4.0);
    }

    /// A model that only measures length is right where chosen is longer and wrong elsewhere.
    void lengthShowsInTheCurve()
    {
        std::vector<Pair> pairs;
        for (int i = 0; i < 80; ++i) {
            const int difference = i % 2 ? 5 + i : -5 - i;
            pairs.push_back({double(100 + difference), 100.0, 100 + difference, 100});
        }
        const auto report = pairReport(setOf(pairs));
        const auto& curve = curveOf(report, "accuracy_by_length_gap");
        QVERIFY(curve.x.size() >= 4);
        QVERIFY(std::is_sorted(curve.x.begin(), curve.x.end()));
        for (std::size_t i = 0; i < curve.x.size(); ++i)
            QCOMPARE(curve.y[i], curve.x[i] > 0.0 ? 1.0 : 0.0);
        const auto& counts = curveOf(report, "length_gap_count");
        QCOMPARE(std::accumulate(counts.y.begin(), counts.y.end(), 0.0), 80.0);
        QCOMPARE(valueOf(report, "length_correlation") > 0.9, true);
    }

    void stepsAreNoPairs()
    {
        auto set = setOf({{1, 0}});
        for (auto& prediction : set.predictions)
            prediction.step = 0;
        QCOMPARE(pairReport(set).metric("pair_accuracy")->undefinedReason, std::string("no pairs"));
    }
};

QTEST_GUILESS_MAIN(TestPairReport)
#include "tst_pair_report.moc"
