#include "core/base/random.h"
#include "core/diagnostics/baselines.h"

#include <QtTest/QTest>

#include <cmath>

using namespace assay;

namespace {

enum class Cue { None, Position, Short, Word };

/// Steps whose label follows one cue (with noise) and nothing else.
std::vector<LabelledStep> planted(int solutions, Cue cue, std::uint64_t seed)
{
    RandomStream random(seed, "planted");
    std::vector<LabelledStep> steps;
    for (int i = 0; i < solutions; ++i)
        for (int k = 0; k < 6; ++k) {
            LabelledStep step;
            step.example = i;
            step.position = k;
            step.tokens = static_cast<std::int32_t>(random.between(4, 14));
            step.characters = 4 * step.tokens + static_cast<std::int32_t>(random.below(4));
            for (int t = 0; t < step.tokens; ++t)
                step.tokenIds.push_back(static_cast<std::int32_t>(random.below(200)));
            double chance = 0.7;
            if (cue == Cue::Position)
                chance = k < 3 ? 0.95 : 0.45;
            if (cue == Cue::Short)
                chance = step.tokens < 9 ? 0.95 : 0.45;
            const bool correct = random.chance(chance);
            if (cue == Cue::Word && random.chance(0.8))
                step.tokenIds.push_back(correct ? 1000 : 1001);
            step.label = correct ? 1.0F : 0.0F;
            step.supervised = true;
            steps.push_back(std::move(step));
        }
    return steps;
}

double auroc(const BaselineEvaluation& evaluation, const char* id)
{
    Report report;
    report.metrics = evaluation.metrics;
    return *report.metric(std::string("baseline_auroc_") + id)->value;
}

} // namespace

class TstBaselines : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsThePlantedCue_data()
    {
        QTest::addColumn<int>("cue");
        QTest::addColumn<QString>("best");
        QTest::newRow("nothing") << int(Cue::None) << "";
        QTest::newRow("position") << int(Cue::Position) << "position";
        QTest::newRow("length, short is right") << int(Cue::Short) << "length";
        QTest::newRow("word") << int(Cue::Word) << "bag";
    }
    void findsThePlantedCue()
    {
        QFETCH(int, cue);
        QFETCH(QString, best);
        const auto set = BaselineSet::fit(planted(400, Cue(cue), 1));
        const auto evaluation = set.evaluate(planted(400, Cue(cue), 2));
        for (const char* id : {"position", "length", "bag"}) {
            const double value = auroc(evaluation, id);
            // A bag of many words is a long step: it sees the length too.
            const bool alsoSeen = Cue(cue) == Cue::Short && std::string(id) == "bag";
            if (best == QLatin1String(id) || alsoSeen)
                QVERIFY2(value > 0.65, std::to_string(value).c_str());
            else
                QVERIFY2(value < 0.62, (std::string(id) + " " + std::to_string(value)).c_str());
        }
        QCOMPARE(auroc(evaluation, "always_true"), 0.5);
        QCOMPARE(auroc(evaluation, "base_rate"), 0.5);
    }

    void deterministicAndFast()
    {
        const auto train = planted(3400, Cue::Word, 1);
        QElapsedTimer timer;
        timer.start();
        const auto one = BaselineSet::fit(train);
        qInfo("%zu steps: %lld ms", train.size(), static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 6000);
        const auto two = BaselineSet::fit(train);
        QCOMPARE(one.probabilities(Baseline::Bag, train), two.probabilities(Baseline::Bag, train));
        QCOMPARE(one.probabilities(Baseline::PositionLength, train),
                 two.probabilities(Baseline::PositionLength, train));
    }

    void namesTheBest()
    {
        const auto set = BaselineSet::fit(planted(400, Cue::Word, 1));
        const auto evaluation = set.evaluate(planted(400, Cue::Word, 2));
        QCOMPARE(evaluation.bestName, std::string("bag of tokens"));
        QCOMPARE(*evaluation.bestAuroc, auroc(evaluation, "bag"));
    }

    void unsupervisedStepsAreLeftOut()
    {
        auto train = planted(50, Cue::None, 1);
        for (std::size_t i = 0; i < train.size(); ++i) {
            train[i].supervised = i % 2 == 0;
            if (!train[i].supervised)
                train[i].label = 0.0F;
        }
        auto kept = train;
        std::erase_if(kept, [](const LabelledStep& step) { return !step.supervised; });
        QCOMPARE(BaselineSet::fit(train).probabilities(Baseline::Position, train),
                 BaselineSet::fit(kept).probabilities(Baseline::Position, train));
    }

    void nothingToLearnFrom()
    {
        const auto evaluation = BaselineSet::fit({}).evaluate({});
        QVERIFY(!evaluation.bestAuroc);
        for (const auto& metric : evaluation.metrics)
            QVERIFY(!metric.value && !metric.undefinedReason.empty());
    }

    void separableDataStayFinite()
    {
        std::vector<LabelledStep> steps;
        for (int i = 0; i < 100; ++i)
            steps.push_back({.example = i,
                             .position = i % 2,
                             .characters = i % 2 ? 100 : 10,
                             .tokens = i % 2 ? 20 : 2,
                             .tokenIds = {i % 2},
                             .label = i % 2 ? 1.0F : 0.0F,
                             .supervised = true});
        const auto set = BaselineSet::fit(steps);
        for (const auto baseline : {Baseline::Length, Baseline::PositionLength, Baseline::Bag})
            for (const double p : set.probabilities(baseline, steps))
                QVERIFY(std::isfinite(p) && p >= 0.0 && p <= 1.0);
        QCOMPARE(*set.evaluate(steps).bestAuroc, 1.0);
    }
};

QTEST_GUILESS_MAIN(TstBaselines)
#include "tst_baselines.moc"
