#include "core/base/random.h"
#include "core/diagnostics/verdict.h"
#include "core/eval/evaluate_steps.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>
#include <map>

using namespace assay;

namespace {

struct Simulation
{
    int solutions = 150;
    double baseRate = 0.8;
    double separation = 2.0; ///< of the logits of correct and wrong steps
    double offset = 0.0;     ///< added to all logits
    double spread = 1.0;     ///< standard deviation of the logits; 0 = constant
    std::uint64_t seed = 1;
};

EvaluatedSet simulated(const Simulation& s)
{
    RandomStream random(s.seed, "verdict");
    EvaluatedSet set;
    for (int i = 0; i < s.solutions; ++i) {
        const auto steps = static_cast<std::int32_t>(random.between(3, 8));
        set.examples.push_back({"e" + std::to_string(i), "g" + std::to_string(i), i, steps});
        for (std::int32_t k = 0; k < steps; ++k) {
            const bool correct = random.chance(s.baseRate);
            const double logit =
                s.offset + s.spread * random.normal() + (correct ? 0.5 : -0.5) * s.separation;
            set.predictions.push_back({.example = i,
                                       .readOut = k,
                                       .step = k,
                                       .score = float(logit),
                                       .probability = float(1.0 / (1.0 + std::exp(-logit))),
                                       .label = correct ? 1.0F : 0.0F,
                                       .supervised = true});
        }
    }
    return set;
}

/// A finished run with this evaluation.
VerdictInput inputFor(const Simulation& simulation)
{
    auto input = verdictInput(
        stepReport(simulated(simulation), {.bootstrapSamples = 100, .seed = simulation.seed}), 0.5);
    input.evaluationsDone = 5;
    input.trainedShare = 1.0;
    input.finished = true;
    input.evaluationLoss = {0.7, 0.5};
    return input;
}

} // namespace

class TstVerdict : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reached_data()
    {
        QTest::addColumn<double>("baseRate");
        QTest::addColumn<double>("separation");
        QTest::addColumn<double>("offset");
        QTest::addColumn<double>("spread");
        QTest::addColumn<int>("solutions");
        QTest::addColumn<QString>("badge");
        QTest::newRow("healthy") << .8 << 2. << 0. << 1. << 150 << "learning";
        QTest::newRow("threshold off, always True")
            << .9 << 2. << 5. << 1. << 150 << "always True: threshold off";
        QTest::newRow("threshold off, always False")
            << .9 << 2. << -5. << 1. << 150 << "always False: threshold off";
        QTest::newRow("no signal") << .8 << 0. << 0. << 1. << 150 << "no signal";
        QTest::newRow("no signal, always True") << .9 << 0. << 5. << 1. << 150 << "always True: no signal";
        QTest::newRow("constant") << .8 << 0. << 2. << 0. << 150 << "always True: constant";
        QTest::newRow("inverted") << .8 << -2. << 0. << 1. << 150 << "no signal";
        QTest::newRow("few negatives") << .8 << 2. << 0. << 1. << 10 << "too few negatives";
    }
    void reached()
    {
        QFETCH(double, baseRate);
        QFETCH(double, separation);
        QFETCH(double, offset);
        QFETCH(double, spread);
        QFETCH(int, solutions);
        QFETCH(QString, badge);
        const auto verdict = decideVerdict(inputFor({solutions, baseRate, separation, offset, spread, 3}));
        QCOMPARE(QString::fromStdString(verdict.badge()), badge);
        QVERIFY(verdict.sentence.ends_with("."));
        QVERIFY(!verdict.evidence.empty());
    }

    void healthyIsNeverAccused()
    {
        std::map<VerdictKind, int> counts;
        for (int i = 0; i < 1000; ++i) {
            RandomStream random(std::uint64_t(i), "healthy");
            Simulation simulation;
            simulation.seed = std::uint64_t(i) + 1;
            simulation.baseRate = 0.6 + 0.35 * random.uniform();
            simulation.separation = 1.5 + 2.0 * random.uniform();
            simulation.solutions = 120 + int(random.below(100));
            // A trained model's prior follows the base rate only in part.
            simulation.offset =
                0.5 * std::log(simulation.baseRate / (1.0 - simulation.baseRate)) * random.uniform();
            auto input = inputFor(simulation);
            // Noisy training loss of small batches around a good level, some with a hard batch.
            for (int k = 0; k < 40; ++k)
                input.recentTrainLoss.push_back(random.chance(0.1) ? 2.0 * random.uniform()
                                                                   : 0.3 * random.uniform());
            input.bestBaselineAuroc = 0.55;
            input.bestBaselineName = "position";
            ++counts[decideVerdict(input).kind];
        }
        for (const auto& [kind, count] : counts)
            qInfo("%d of 1000 healthy evaluations: %s", count, std::string(verdictId(kind)).c_str());
        for (const auto kind : {VerdictKind::LabelsBroken, VerdictKind::NoSignal, VerdictKind::Constant,
                                VerdictKind::Diverged, VerdictKind::NullBaseline, VerdictKind::Leak})
            QCOMPARE(counts[kind], 0);
        QVERIFY(counts[VerdictKind::Learning] >= 980);
    }

    /// The share of models without any signal that are called learning must stay near the 2.5 % of the
    /// interval.
    void chanceIsRarelyCalledLearning()
    {
        int learning = 0;
        for (int i = 0; i < 300; ++i) {
            Simulation simulation;
            simulation.separation = 0.0;
            simulation.offset = 0.5;
            simulation.seed = 5000 + std::uint64_t(i);
            learning += decideVerdict(inputFor(simulation)).kind == VerdictKind::Learning ? 1 : 0;
        }
        qInfo("%d of 300 evaluations without signal are called learning", learning);
        QVERIFY(learning <= 15);
    }

    void labelRulesComeFirst()
    {
        auto input = inputFor({.baseRate = 0.999, .separation = 4.0, .offset = 6.0});
        input.supervisedPerStep = 6.3;
        input.ignoreValuesAsLabels = true;
        input.nonFinite = true;
        const auto verdict = decideVerdict(input);
        QCOMPARE(QString::fromStdString(verdict.badge()), QStringLiteral("always True: labels broken"));
        QVERIFY(verdict.sentence.find("6.3 supervised positions per step") != std::string::npos);
    }

    void labelsBrokenBeforeStepZero()
    {
        VerdictInput input;
        input.supervisedPerStep = 52.5;
        const auto verdict = decideVerdict(input);
        QCOMPARE(verdict.kind, VerdictKind::LabelsBroken);
        QCOMPARE(verdict.flag, OneClassFlag::None);
        QCOMPARE(decideVerdict({}).kind, VerdictKind::None);
    }

    void course_data()
    {
        QTest::addColumn<double>("separation");
        QTest::addColumn<int>("evaluations");
        QTest::addColumn<double>("trained");
        QTest::addColumn<bool>("moved");
        QTest::addColumn<QString>("id");
        QTest::newRow("before step 0") << 2. << 1 << 0. << true << "too-early";
        QTest::newRow("first evaluation, at chance") << 0. << 2 << .05 << true << "too-early";
        QTest::newRow("first evaluation, clear") << 2. << 2 << .05 << true << "learning";
        QTest::newRow("a quarter, at chance") << 0. << 4 << .25 << true << "too-early";
        QTest::newRow("half, at chance") << 0. << 4 << .5 << true << "no-signal";
        QTest::newRow("second evaluation, nothing moved") << 0. << 2 << .05 << false << "no-signal";
    }
    void course()
    {
        QFETCH(double, separation);
        QFETCH(int, evaluations);
        QFETCH(double, trained);
        QFETCH(bool, moved);
        QFETCH(QString, id);
        auto input = inputFor({.separation = separation});
        input.finished = false;
        input.evaluationsDone = evaluations;
        input.trainedShare = trained;
        input.evaluationLoss = {0.7, moved ? 0.6 : 0.7};
        QCOMPARE(QString::fromUtf8(verdictId(decideVerdict(input).kind)), id);
    }

    /// Small models often rank at chance, or as well as a ruler, for half of a run that ends well.
    void aRunThatStillImprovesIsNotAccused_data()
    {
        QTest::addColumn<double>("separation");
        QTest::addColumn<QList<double>>("loss"); // relative to what a constant reaches
        QTest::addColumn<bool>("finished");
        QTest::addColumn<QString>("id");
        const QString early = QStringLiteral("too-early"), signal = QStringLiteral("no-signal"),
                      ruler = QStringLiteral("null-baseline");
        QTest::newRow("at chance, falling") << 0. << QList<double>{1.4, 1.02, 0.97} << false << early;
        QTest::newRow("at chance, falling to a constant")
            << 0. << QList<double>{1.4, 1.2, 1.01} << false << signal;
        QTest::newRow("at chance, falling by too little")
            << 0. << QList<double>{1.4, 0.98, 0.975} << false << signal;
        QTest::newRow("at chance, rising") << 0. << QList<double>{1.4, 0.95, 0.98} << false << signal;
        QTest::newRow("at chance, at the end") << 0. << QList<double>{1.4, 1.02, 0.97} << true << signal;
        QTest::newRow("a ruler, falling") << .5 << QList<double>{1.4, 1.0, 0.96} << false << early;
        QTest::newRow("a ruler, at rest") << .5 << QList<double>{1.4, 0.96, 0.96} << false << ruler;
        QTest::newRow("a ruler, at the end") << .5 << QList<double>{1.4, 1.0, 0.96} << true << ruler;
    }
    void aRunThatStillImprovesIsNotAccused()
    {
        QFETCH(double, separation);
        QFETCH(QList<double>, loss);
        QFETCH(bool, finished);
        QFETCH(QString, id);
        auto input = inputFor({.separation = separation, .seed = 3});
        QVERIFY(input.trivialLoss);
        input.finished = finished;
        input.trainedShare = finished ? 1.0 : 0.6;
        input.evaluationLoss.clear();
        for (const double relative : loss)
            input.evaluationLoss.push_back(relative * *input.trivialLoss);
        input.bestBaselineAuroc = 0.7;
        input.bestBaselineName = "bag of tokens";
        QCOMPARE(QString::fromUtf8(verdictId(decideVerdict(input).kind)), id);
    }

    /// A ranking that is clearly there shows early that its threshold is off.
    void anOffThresholdIsSaidEarly()
    {
        auto input = inputFor({.separation = 2., .offset = 5.});
        input.finished = false;
        input.trainedShare = 0.3;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::ThresholdOff);
        input.trainedShare = 0.1;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::TooEarly);
    }

    /// Frozen weights whose random ranking happens to lean to one side are still not learning.
    void nothingTrainsIsNoSignal()
    {
        auto input = inputFor({.baseRate = 0.97, .separation = 0.3, .offset = 2.0});
        input.auroc->value = 0.56;
        input.auroc->low = 0.51;
        input.auroc->high = 0.61;
        input.evaluationLoss = {0.7, 0.7, 0.7};
        const auto verdict = decideVerdict(input);
        QCOMPARE(verdict.kind, VerdictKind::NoSignal);
        QVERIFY(verdict.sentence.find("has not moved") != std::string::npos);
    }

    /// Without resamples there is no interval, and a bare estimate decides nothing but what needs no scores.
    void withoutResamplesNothingIsClaimed_data()
    {
        QTest::addColumn<double>("separation");
        QTest::addColumn<double>("leaked");
        QTest::addColumn<bool>("moved");
        QTest::addColumn<int>("solutions");
        QTest::addColumn<QString>("id");
        QTest::newRow("a clear ranking") << 3. << 0. << true << 150 << "too-early";
        QTest::newRow("at chance") << 0. << 0. << true << 150 << "too-early";
        QTest::newRow("a leak") << 3. << .3 << true << 150 << "leak";
        QTest::newRow("nothing moved, at chance") << 0. << 0. << false << 150 << "no-signal";
        QTest::newRow("nothing moved, a clear ranking") << 3. << 0. << false << 150 << "too-early";
        QTest::newRow("few negatives") << 3. << 0. << true << 10 << "too-few-negatives";
    }
    void withoutResamplesNothingIsClaimed()
    {
        QFETCH(double, separation);
        QFETCH(double, leaked);
        QFETCH(bool, moved);
        QFETCH(int, solutions);
        QFETCH(QString, id);
        auto input =
            verdictInput(stepReport(simulated({.solutions = solutions, .separation = separation, .seed = 3}),
                                    {.bootstrapSamples = 0}),
                         0.5);
        input.evaluationsDone = 5;
        input.trainedShare = 1.0;
        input.finished = true;
        input.evaluationLoss = {0.7, moved ? 0.5 : 0.7};
        input.leakedShare = leaked;
        const auto verdict = decideVerdict(input);
        QCOMPARE(QString::fromUtf8(verdictId(verdict.kind)), id);
        if (verdict.kind == VerdictKind::TooEarly) {
            QVERIFY2(verdict.sentence.find("no interval") != std::string::npos, verdict.sentence.c_str());
            QVERIFY(verdict.remedy.find("evaluation.bootstrap_samples") != std::string::npos);
        }
    }

    /// evaluation.before_start may be off: then the first evaluation is not one before step 0.
    void theFirstEvaluationSaysWhereItIs_data()
    {
        QTest::addColumn<double>("trained");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("before") << 0. << "Too early to say: only the evaluation before step 0 is there.";
        QTest::newRow("later")
            << .25 << "Too early to say: this is the first evaluation, at 25.0 % of the training.";
    }
    void theFirstEvaluationSaysWhereItIs()
    {
        QFETCH(double, trained);
        QFETCH(QString, sentence);
        auto input = inputFor({});
        input.finished = false;
        input.evaluationsDone = 1;
        input.trainedShare = trained;
        const auto verdict = decideVerdict(input);
        QCOMPARE(QString::fromStdString(verdict.sentence), sentence);
        QCOMPARE(verdict.evidence.find("before training") != std::string::npos, trained == 0.0);
    }

    void nullBaseline()
    {
        auto input = inputFor({});
        input.bestBaselineAuroc = *input.auroc->low + 0.001;
        input.bestBaselineName = "position";
        const auto verdict = decideVerdict(input);
        QCOMPARE(verdict.kind, VerdictKind::NullBaseline);
        QVERIFY(verdict.sentence.find("\"position\"") != std::string::npos);
    }

    void leak()
    {
        auto input = inputFor({});
        input.leakedShare = 0.3;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::Leak);
    }

    void thresholdOffSpeaksLikeAPerson()
    {
        const auto verdict = decideVerdict(inputFor({.baseRate = 0.9, .separation = 2.0, .offset = 5.0}));
        QCOMPARE(
            QString::fromStdString(verdict.sentence),
            QStringLiteral("Ranks steps well, but the threshold is off: almost nothing is predicted wrong."));
        QVERIFY(verdict.suggestedThreshold && *verdict.suggestedThreshold > 0.9);
    }

    void diverged_data()
    {
        QTest::addColumn<QList<double>>("losses");
        QTest::addColumn<bool>("nonFinite");
        QTest::addColumn<bool>("diverged");
        QList<double> falling, rising, noisy;
        for (int i = 0; i < 20; ++i) {
            falling << 0.7 - 0.02 * i;
            rising << 0.5 * std::exp(0.2 * i);
            noisy << (i % 5 == 4 ? 6.0 : 0.1);
        }
        QTest::newRow("falling") << falling << false << false;
        QTest::newRow("rising") << rising << false << true;
        QTest::newRow("hard batches") << noisy << false << false;
        QTest::newRow("not finite") << falling << true << true;
        // Skipped steps leave no number in the order, wherever they stand.
        auto holes = rising;
        for (int i = 1; i < 20; i += 3)
            holes[i] = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("rising, with steps that were skipped") << holes << false << true;
        holes = falling;
        for (int i = 10; i < 20; i += 2)
            holes[i] = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("falling, with steps that were skipped") << holes << false << false;
        QTest::newRow("only skipped steps")
            << QList<double>(20, std::numeric_limits<double>::quiet_NaN()) << false << false;
    }
    void diverged()
    {
        QFETCH(QList<double>, losses);
        QFETCH(bool, nonFinite);
        QFETCH(bool, diverged);
        auto input = inputFor({});
        input.recentTrainLoss.assign(losses.begin(), losses.end());
        input.nonFinite = nonFinite;
        QCOMPARE(decideVerdict(input).kind == VerdictKind::Diverged, diverged);
    }

    void nonFiniteScoresAreDivergence()
    {
        auto set = simulated({});
        set.predictions[3].score = std::numeric_limits<float>::infinity();
        auto input = verdictInput(stepReport(set), 0.5);
        input.evaluationsDone = 3;
        QCOMPARE(decideVerdict(input).kind, VerdictKind::Diverged);
    }

    void baselinesComeFromTheReport()
    {
        Metric always{"baseline_auroc_always_true", "AUROC, null: always True", 0.9, {}, {}, {}, {}};
        Metric position{"baseline_auroc_position", "AUROC, null: position", 0.6, {}, {}, {}, {}};
        Metric bag{"baseline_auroc_bag", "AUROC, null: bag of tokens", 0.7, {}, {}, {}, {}};
        const auto input =
            verdictInput(stepReport(simulated({}), {.baselines = {always, position, bag}}), 0.5);
        QCOMPARE(*input.bestBaselineAuroc, 0.7);
        QCOMPARE(input.bestBaselineName, std::string("bag of tokens"));
    }

    void idsAreClosed()
    {
        for (int i = 1; i <= int(VerdictKind::Diverged); ++i) {
            const auto kind = VerdictKind(i);
            QVERIFY(!verdictWord(kind).empty());
            QVERIFY(verdictFromId(verdictId(kind)) == kind);
        }
        QVERIFY(!verdictFromId(""));
        QVERIFY(!verdictFromId("else"));
    }
};

QTEST_GUILESS_MAIN(TstVerdict)
#include "tst_verdict.moc"
