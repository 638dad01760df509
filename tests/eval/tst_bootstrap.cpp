#include "core/base/random.h"
#include "core/eval/bootstrap.h"
#include "core/eval/evaluate_steps.h"

#include <QtTest/QTest>

#include <cmath>

using namespace assay;

namespace {

/// Steps of `solutions` problems; the scores of one problem share an offset, so its steps are not
/// independent.
EvaluatedSet simulated(int solutions, int stepsEach, double separation, std::uint64_t seed)
{
    RandomStream random(seed, "simulation");
    EvaluatedSet set;
    for (int i = 0; i < solutions; ++i) {
        set.examples.push_back({"id" + std::to_string(i), "group" + std::to_string(i / 2), i, stepsEach});
        const double offset = random.normal();
        for (int k = 0; k < stepsEach; ++k) {
            const bool correct = random.chance(0.8);
            const double score = offset + random.normal() + (correct ? separation : 0.0);
            set.predictions.push_back({.example = i,
                                       .readOut = k,
                                       .step = k,
                                       .score = float(score),
                                       .probability = float(1.0 / (1.0 + std::exp(-score))),
                                       .label = correct ? 1.0F : 0.0F,
                                       .supervised = true});
        }
    }
    return set;
}

} // namespace

class TstBootstrap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void groupsAreDrawnWhole()
    {
        const std::vector<std::int32_t> groups{0, 0, 1, 2, 2, 2};
        const ClusteredBootstrap bootstrap(groups, 3, 7);
        int resamples = 0;
        bootstrap.resample(50,
                           [&](std::span<const std::int32_t> counts, std::span<const std::int32_t> weights) {
                               ++resamples;
                               QCOMPARE(counts[0] + counts[1] + counts[2], 3);
                               for (std::size_t i = 0; i < groups.size(); ++i)
                                   QCOMPARE(weights[i], counts[std::size_t(groups[i])]);
                           });
        QCOMPARE(resamples, 50);
    }

    void sameSeedSameIntervals()
    {
        const auto set = simulated(60, 5, 1.0, 1);
        const auto one = stepReport(set, {.seed = 3}), two = stepReport(set, {.seed = 3}),
                   other = stepReport(set, {.seed = 4});
        QCOMPARE(*one.metric("auroc")->low, *two.metric("auroc")->low);
        QVERIFY(*one.metric("auroc")->low != *other.metric("auroc")->low);
    }

    /// The 95 % interval of AUROC must hold the true value in about 95 of 100 sets, although steps of one
    /// prompt share an offset.
    void coverage()
    {
        // Score difference of a random (correct, wrong) pair from different problems: normal, mean 1,
        // variance 4.
        const double truth = 0.5 * std::erfc(-1.0 / std::sqrt(2.0 * 4.0));
        int covered = 0;
        constexpr int kSets = 200;
        for (int i = 0; i < kSets; ++i) {
            const auto report =
                stepReport(simulated(150, 6, 1.0, 100 + std::uint64_t(i)), {.bootstrapSamples = 200});
            const auto* auroc = report.metric("auroc");
            covered += *auroc->low <= truth && truth <= *auroc->high ? 1 : 0;
        }
        qInfo("%d of %d intervals hold the true AUROC %.4f", covered, kSets, truth);
        QVERIFY(covered >= 0.88 * kSets && covered <= 0.995 * kSets);
    }

    void fastEnough()
    {
        const auto set = simulated(1000, 5, 1.0, 2);
        QElapsedTimer timer;
        timer.start();
        const auto report = stepReport(set, {.bootstrapSamples = 200});
        qInfo("5,000 predictions, 200 resamples: %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(report.metric("auroc")->low.has_value());
        QVERIFY(timer.elapsed() < 1500);
    }

    void stopLeavesNoIntervals()
    {
        std::stop_source source;
        source.request_stop();
        const auto report = stepReport(simulated(20, 5, 1.0, 2), {.stop = source.get_token()});
        QVERIFY(report.metric("auroc")->value.has_value());
        QVERIFY(!report.metric("auroc")->low.has_value());
    }
};

QTEST_GUILESS_MAIN(TstBootstrap)
#include "tst_bootstrap.moc"
