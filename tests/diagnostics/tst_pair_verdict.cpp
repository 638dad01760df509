// Verdicts on preference pairs, from simulated evaluations.
#include "core/base/random.h"
#include "core/diagnostics/verdict.h"
#include "core/eval/pairs/pair_report.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

using namespace assay;

namespace {

struct Simulation
{
    int pairs = 300;
    double signal = 1.2;       ///< mean of chosen - rejected, in standard deviations of its noise
    double noise = 1.0;        ///< 0 = equal rewards
    double longerChosen = 0.5; ///< share of pairs whose chosen answer is the longer one
    double lengthWeight = 0.0; ///< reward per token
    std::uint64_t seed = 1;
};

EvaluatedSet simulated(const Simulation& s)
{
    RandomStream random(s.seed, "pair verdict");
    EvaluatedSet set;
    for (int i = 0; i < s.pairs; ++i) {
        set.examples.push_back({"e" + std::to_string(i), "g" + std::to_string(i), i, 2});
        const bool longer = random.chance(s.longerChosen);
        const auto difference = static_cast<std::int32_t>(random.between(1, 30));
        const std::int32_t tokens[2]{100 + (longer ? difference : 0), 100 + (longer ? 0 : difference)};
        const double gap = s.noise * (s.signal + random.normal()) + s.lengthWeight * (tokens[0] - tokens[1]);
        for (std::int32_t side = 0; side < 2; ++side)
            set.predictions.push_back({.example = i,
                                       .readOut = side,
                                       .step = -1,
                                       .score = static_cast<float>(side == 0 ? gap : 0.0),
                                       .label = side == 0 ? 1.0F : 0.0F,
                                       .supervised = true,
                                       .tokens = tokens[side]});
    }
    return set;
}

/// A finished run with this evaluation.
VerdictInput inputFor(const Simulation& simulation)
{
    auto input = pairVerdictInput(
        pairReport(simulated(simulation), {.bootstrapSamples = 100, .seed = simulation.seed}));
    input.evaluationsDone = 5;
    input.trainedShare = 1.0;
    input.finished = true;
    input.evaluationLoss = {0.7, 0.5};
    return input;
}

} // namespace

class TestPairVerdict : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reached_data()
    {
        QTest::addColumn<int>("pairs");
        QTest::addColumn<double>("signal");
        QTest::addColumn<double>("noise");
        QTest::addColumn<double>("longerChosen");
        QTest::addColumn<double>("lengthWeight");
        QTest::addColumn<QString>("badge");
        QTest::addColumn<QString>("word"); // in the sentence
        QTest::newRow("healthy") << 300 << 1.2 << 1. << .5 << 0. << "learning"
                                 << "chosen from rejected";
        QTest::newRow("at chance") << 300 << 0. << 1. << .5 << 0. << "no signal"
                                   << "at chance";
        QTest::newRow("exchanged sides") << 300 << -1.2 << 1. << .5 << 0. << "no signal"
                                         << "exchanged";
        QTest::newRow("equal rewards") << 300 << 0. << 0. << .5 << 0. << "constant"
                                       << "same reward";
        QTest::newRow("nearly equal rewards") << 300 << 0. << 1e-5 << .5 << 0. << "constant"
                                              << "same reward";
        QTest::newRow("a ruler") << 300 << 0. << .01 << .8 << .1 << "null baseline"
                                 << "longest";
        QTest::newRow("the other ruler") << 300 << 0. << .01 << .2 << -.1 << "null baseline"
                                         << "shortest";
        QTest::newRow("better than the ruler") << 600 << 1.5 << 1. << .65 << 0. << "learning"
                                               << "chosen";
        QTest::newRow("few") << 19 << 2. << 1. << .5 << 0. << "too few negatives"
                             << "has 19";
    }
    void reached()
    {
        QFETCH(int, pairs);
        QFETCH(double, signal);
        QFETCH(double, noise);
        QFETCH(double, longerChosen);
        QFETCH(double, lengthWeight);
        QFETCH(QString, badge);
        QFETCH(QString, word);
        const auto verdict = decideVerdict(inputFor({pairs, signal, noise, longerChosen, lengthWeight, 3}));
        QCOMPARE(QString::fromStdString(verdict.badge()), badge);
        QVERIFY2(verdict.sentence.find(word.toStdString()) != std::string::npos, verdict.sentence.c_str());
        QVERIFY(verdict.sentence.ends_with("."));
        QVERIFY(verdict.evidence.ends_with("."));
    }

    /// Equal answers have equal rewards, and a pair model has no class to be always predicted.
    void pairsHaveNoOneClassFlag()
    {
        QCOMPARE(decideVerdict(inputFor({.signal = 4.0})).flag, OneClassFlag::None);
        QCOMPARE(decideVerdict(inputFor({.signal = 0.0, .noise = 0.0})).flag, OneClassFlag::None);
    }

    void theCourseOfTrainingCounts()
    {
        auto input = inputFor({.signal = 0.0});
        input.finished = false;
        input.trainedShare = 0.1;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::TooEarly);
        input.evaluationsDone = 1;
        input.evaluationLoss = {0.69};
        QVERIFY(decideVerdict(input).sentence.find("first evaluation, at 10.0 %") != std::string::npos);
        input.trainedShare = 0.0;
        QVERIFY(decideVerdict(input).sentence.find("before step 0") != std::string::npos);
        auto clear = inputFor({.signal = 1.5});
        clear.finished = false;
        clear.trainedShare = 0.1;
        QCOMPARE(decideVerdict(clear).kind, VerdictKind::Learning);
    }

    void divergenceLeakAndStandstill()
    {
        auto input = inputFor({});
        input.nonFinite = true;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::Diverged);
        input.nonFinite = false;
        input.leakedShare = 0.05;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::Leak);
        auto rising = inputFor({});
        rising.recentTrainLoss.assign(20, 0.6);
        rising.recentTrainLoss.resize(40, 9.0);
        QCOMPARE(decideVerdict(rising).kind, VerdictKind::Diverged);
        // An untrained head with a lucky order: the loss has not moved.
        auto still = inputFor({.signal = 0.15});
        still.evaluationLoss = {0.7, 0.7};
        QCOMPARE(decideVerdict(still).kind, VerdictKind::NoSignal);
        QVERIFY(decideVerdict(still).sentence.find("Nothing is being learned") != std::string::npos);
    }

    void undefinedScoresAreADivergence()
    {
        auto set = simulated({});
        set.predictions[4].score = std::numeric_limits<float>::quiet_NaN();
        auto input = pairVerdictInput(pairReport(set));
        input.evaluationsDone = 3;
        input.finished = true;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::Diverged);
    }

    void healthyIsNeverAccused()
    {
        int accused = 0;
        for (int i = 0; i < 1000; ++i) {
            RandomStream random(std::uint64_t(i), "healthy pairs");
            Simulation simulation;
            simulation.seed = std::uint64_t(i) + 1;
            simulation.pairs = 200 + int(random.below(200));
            simulation.signal = 0.7 + 1.3 * random.uniform();
            simulation.longerChosen = 0.42 + 0.16 * random.uniform();
            auto input = inputFor(simulation);
            for (int k = 0; k < 40; ++k)
                input.recentTrainLoss.push_back(random.chance(0.1) ? 2.0 * random.uniform()
                                                                   : 0.3 + 0.3 * random.uniform());
            accused += decideVerdict(input).kind == VerdictKind::Learning ? 0 : 1;
        }
        qInfo("%d of 1000 healthy evaluations got another verdict", accused);
        QCOMPARE(accused, 0);
    }
};

QTEST_GUILESS_MAIN(TestPairVerdict)
#include "tst_pair_verdict.moc"
