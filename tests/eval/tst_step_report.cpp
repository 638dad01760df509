#include "core/eval/evaluate_steps.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace assay;

namespace {

Prediction prediction(int example, int step, double probability, float label, bool supervised = true)
{
    return {.example = example,
            .readOut = step,
            .step = step,
            .score = float(std::log(probability / (1.0 - probability))),
            .probability = float(probability),
            .label = label,
            .supervised = supervised};
}

/// Two solutions: one wrong at step 1 and found there, one correct of which one step is predicted wrong.
EvaluatedSet smallSet()
{
    EvaluatedSet set;
    set.examples = {{"a", "ga", 0, 3}, {"b", "gb", 1, 2}};
    set.predictions = {prediction(0, 0, 0.9, 1), prediction(0, 1, 0.2, 0), prediction(0, 2, 0.6, 0, false),
                       prediction(1, 0, 0.8, 1), prediction(1, 1, 0.4, 1)};
    return set;
}

const Curve* curve(const Report& report, std::string_view id)
{
    for (const auto& one : report.curves)
        if (one.id == id)
            return &one;
    return nullptr;
}

} // namespace

class TstStepReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("value");
        const double loss = -(std::log(0.9) + std::log(0.8) + std::log(0.8) + std::log(0.4)) / 4.0;
        const double trivial = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25));
        QTest::newRow("loss") << "loss" << loss;
        QTest::newRow("trivial loss") << "trivial_loss" << trivial;
        QTest::newRow("skill") << "skill" << 1.0 - loss / trivial;
        QTest::newRow("accuracy") << "accuracy" << 0.75;
        QTest::newRow("base rate") << "base_rate" << 0.75;
        QTest::newRow("balanced") << "balanced_accuracy" << 0.5 * (1.0 + 2.0 / 3.0);
        QTest::newRow("auroc") << "auroc" << 1.0;
        QTest::newRow("auprc") << "auprc_negative" << 1.0;
        QTest::newRow("predicted correct") << "predicted_positive_rate" << 0.5;
        QTest::newRow("tnr") << "true_negative_rate" << 1.0;
        QTest::newRow("tpr") << "true_positive_rate" << 2.0 / 3.0;
        QTest::newRow("first error") << "first_error_accuracy_wrong" << 1.0;
        QTest::newRow("correct passed") << "first_error_accuracy_correct" << 0.0;
        QTest::newRow("first-error F1") << "first_error_f1" << 0.0;
        QTest::newRow("within") << "within_solution_auroc" << 1.0;
        QTest::newRow("ties") << "tie_rate" << 0.0;
        QTest::newRow("best threshold") << "best_threshold" << 0.3;
        QTest::newRow("best balanced") << "best_balanced_accuracy" << 1.0;
        QTest::newRow("negatives") << "negatives" << 1.0;
        QTest::newRow("positives") << "positives" << 3.0;
    }
    void values()
    {
        QFETCH(QString, id);
        QFETCH(double, value);
        const auto report = stepReport(smallSet(), {.bootstrapSamples = 0});
        const auto* metric = report.metric(id.toStdString());
        QVERIFY(metric && metric->value);
        QVERIFY2(std::abs(*metric->value - value) < 1e-6, std::to_string(*metric->value).c_str());
        QVERIFY(!metric->low);
    }

    void undefinedIsSaid_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << 0 << "accuracy"
                               << "no supervised step";
        QTest::newRow("one class") << 1 << "auroc"
                                   << "only one class among the labels";
        QTest::newRow("one class, balanced") << 1 << "balanced_accuracy"
                                             << "only one class among the labels";
        QTest::newRow("never predicted") << 2 << "mcc"
                                         << "one class never predicted";
        QTest::newRow("not finite") << 3 << "accuracy"
                                    << "non-finite score at index 1";
        QTest::newRow("not finite, loss") << 3 << "loss"
                                          << "non-finite score at index 1";
    }
    void undefinedIsSaid()
    {
        QFETCH(int, kind);
        QFETCH(QString, id);
        QFETCH(QString, reason);
        auto set = smallSet();
        if (kind == 0)
            set.predictions.clear();
        for (auto& one : set.predictions) {
            if (kind == 1)
                one.label = 1.0F;
            if (kind == 2)
                one.probability = 0.9F;
        }
        if (kind == 3)
            set.predictions[1].score = std::numeric_limits<float>::quiet_NaN();
        const auto report = stepReport(set);
        const auto* metric = report.metric(id.toStdString());
        QVERIFY(metric && !metric->value && !metric->low);
        QCOMPARE(QString::fromStdString(metric->undefinedReason), reason);
    }

    void equalityCountsAsCorrect()
    {
        auto set = smallSet();
        for (auto& one : set.predictions)
            one.probability = 0.5F;
        const auto report = stepReport(set, {.bootstrapSamples = 0});
        QCOMPARE(*report.metric("predicted_positive_rate")->value, 1.0);
        QCOMPARE(*report.metric("first_error_accuracy_correct")->value, 1.0);
    }

    void chanceAndTitles()
    {
        const auto report = stepReport(smallSet(), {.bootstrapSamples = 0});
        QCOMPARE(*report.metric("auprc_negative")->chance, 0.25);
        QCOMPARE(*report.metric("accuracy")->chance, 0.75);
        QCOMPARE(*report.metric("auroc")->chance, 0.5);
        QCOMPARE(QString::fromStdString(report.metric("auprc_negative")->title),
                 QStringLiteral("AUPRC, wrong"));
        QCOMPARE(std::string(metricTitle("tie_rate")), std::string("Tied scores"));
    }

    void curves()
    {
        const auto report = stepReport(smallSet(), {.bootstrapSamples = 0});
        for (const char* id : {"histogram_correct", "histogram_wrong"}) {
            const auto* one = curve(report, id);
            QVERIFY(one);
            QCOMPARE(one->x.size(), std::size_t(25));
            QVERIFY(std::abs(std::accumulate(one->y.begin(), one->y.end(), 0.0) - 1.0) < 1e-12);
        }
        const auto* correct = curve(report, "position_correct");
        QCOMPARE(correct->x, (std::vector<double>{1, 2}));
        QVERIFY(std::abs(correct->y[0] - 0.85) < 1e-6 && std::abs(correct->y[1] - 0.4) < 1e-6);
        QCOMPARE(curve(report, "position_correct_low")->x, (std::vector<double>{1}));
        QCOMPARE(curve(report, "position_base_rate")->y, (std::vector<double>{1.0, 0.5}));
        QCOMPARE(curve(report, "position_count")->y, (std::vector<double>{2.0, 2.0}));
    }

    /// The objective's weight on wrong steps counts in the loss, in what a constant reaches, and so in the
    /// skill: the best constant has skill 0 under every weight.
    void weightedLoss_data()
    {
        QTest::addColumn<double>("weight");
        QTest::newRow("none") << 1.0;
        QTest::newRow("wrong steps count more") << 5.0;
        QTest::newRow("wrong steps count less") << 0.2;
    }
    void weightedLoss()
    {
        QFETCH(double, weight);
        auto set = smallSet(); // three of four steps are correct
        const double constant = 0.75 / (0.75 + weight * 0.25);
        for (auto& one : set.predictions) {
            one.score = static_cast<float>(std::log(constant / (1.0 - constant)));
            one.probability = static_cast<float>(constant);
        }
        const auto report = stepReport(set, {.bootstrapSamples = 0, .wrongWeight = weight});
        const double expected = -0.75 * std::log(constant) - weight * 0.25 * std::log(1.0 - constant);
        QVERIFY(std::abs(*report.metric("loss")->value - expected) < 1e-6);
        QVERIFY(std::abs(*report.metric("trivial_loss")->value - expected) < 1e-12);
        QVERIFY(std::abs(*report.metric("loss")->chance - expected) < 1e-12);
        QVERIFY(std::abs(*report.metric("skill")->value) < 1e-6);
    }

    /// A loss that the objective computed has an interval all the same, around it.
    void theObjectivesLossHasAnInterval()
    {
        EvaluatedSet set;
        for (int i = 0; i < 40; ++i) {
            set.examples.push_back({"e" + std::to_string(i), "g" + std::to_string(i), i, 1});
            const auto score = static_cast<float>(i % 7 - 2);
            set.predictions.push_back({.example = i,
                                       .step = 0,
                                       .score = score,
                                       .probability = 1.0F / (1.0F + std::exp(-score)),
                                       .label = i % 3 == 0 ? 0.0F : 1.0F,
                                       .supervised = true});
        }
        for (const double weight : {1.0, 4.0}) {
            const double loss =
                *stepReport(set, {.bootstrapSamples = 0, .wrongWeight = weight}).metric("loss")->value;
            const auto report = stepReport(set, {.loss = loss, .wrongWeight = weight});
            const auto* metric = report.metric("loss");
            QCOMPARE(*metric->value, loss);
            QVERIFY(metric->low && metric->high);
            QVERIFY(*metric->low < loss && loss < *metric->high);
        }
    }

    void nonFiniteLossIsSaid()
    {
        const auto report = stepReport(smallSet(), {.loss = std::numeric_limits<double>::quiet_NaN()});
        QVERIFY(!report.metric("loss")->value && !report.metric("skill")->value);
        QCOMPARE(report.metric("skill")->undefinedReason, std::string("non-finite loss"));
    }

    void objectiveLossAndBaselinesAreKept()
    {
        Metric baseline;
        baseline.id = "baseline_auroc_position";
        baseline.value = 0.7;
        const auto report =
            stepReport(smallSet(), {.bootstrapSamples = 20, .loss = 0.123, .baselines = {baseline}});
        QCOMPARE(*report.metric("loss")->value, 0.123);
        QCOMPARE(*report.metric("baseline_auroc_position")->value, 0.7);
    }
};

QTEST_GUILESS_MAIN(TstStepReport)
#include "tst_step_report.moc"
