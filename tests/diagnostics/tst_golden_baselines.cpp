#include "core/base/random.h"
#include "core/diagnostics/baselines.h"
#include "core/eval/ranking.h"
#include "tests/support/golden_json.h"
#include "tests/support/stepwise_rows.h"

#include <QtTest/QTest>

using namespace assay;
using namespace assay::tests;

namespace {

/// Steps of one file up to and including the first wrong one, which is the convention of the published
/// figures.
std::vector<std::vector<LabelledStep>> traces(const std::string& part)
{
    std::vector<std::vector<LabelledStep>> result;
    for (const auto& row : readJsonLines(part)) {
        const auto& mistake = row.at("mistake_index");
        const auto& texts = row.at("steps");
        const std::size_t end = mistake.is_null() ? texts.size() : mistake.get<std::size_t>() + 1;
        std::vector<Step> steps;
        for (std::size_t i = 0; i < end; ++i)
            steps.push_back(
                labelledStep(texts[i].get<std::string>(), !mistake.is_null() && i + 1 == end ? 0.0F : 1.0F));
        const auto index = static_cast<std::int64_t>(result.size());
        result.push_back(
            labelledSteps(stepwiseExample(row.at("input").get<std::string>(), std::move(steps), index),
                          static_cast<std::int32_t>(index)));
    }
    return result;
}

} // namespace

class TstGoldenBaselines : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bigBench_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<double>("shareWrong");
        QTest::addColumn<double>("position");
        QTest::addColumn<double>("words");
        // The reference's word model also has pairs of words; ours has single ones of the step alone and
        // stays below.
        QTest::newRow("tracking") << "tracking_shuffled_objects.jsonl" << 0.23 << 0.85 << 0.94;
        QTest::newRow("deduction") << "logical_deduction.jsonl" << 0.31 << 0.77 << 0.92;
        QTest::newRow("arithmetic") << "multistep_arithmetic.jsonl" << 0.22 << 0.74 << 0.87;
    }
    void bigBench()
    {
        NEED_TEST_DATA("stepwise-bigbench-mistake");
        QFETCH(QString, file);
        QFETCH(double, shareWrong);
        QFETCH(double, position);
        QFETCH(double, words);
        auto all = traces("stepwise-bigbench-mistake/" + file.toStdString());
        const auto order = permutation(static_cast<std::int64_t>(all.size()), 1, "folds", 0);
        constexpr std::size_t kFolds = 5;
        double positionSum = 0.0, bagSum = 0.0, lengthSum = 0.0, wrong = 0.0, steps = 0.0;
        for (std::size_t fold = 0; fold < kFolds; ++fold) {
            std::vector<LabelledStep> train, evaluation;
            for (std::size_t i = 0; i < order.size(); ++i) {
                const auto& trace = all[std::size_t(order[i])];
                auto& side = i % kFolds == fold ? evaluation : train;
                side.insert(side.end(), trace.begin(), trace.end());
            }
            const auto set = BaselineSet::fit(train);
            Report report;
            report.metrics = set.evaluate(evaluation).metrics;
            positionSum += *report.metric("baseline_auroc_position")->value;
            lengthSum += *report.metric("baseline_auroc_length")->value;
            bagSum += *report.metric("baseline_auroc_bag")->value;
            for (const auto& step : evaluation) {
                wrong += step.label < 0.5F ? 1.0 : 0.0;
                steps += 1.0;
            }
        }
        qInfo("%s: wrong %.3f, AUROC position %.3f, length %.3f, bag of words %.3f", qPrintable(file),
              wrong / steps, positionSum / kFolds, lengthSum / kFolds, bagSum / kFolds);
        QVERIFY(std::abs(wrong / steps - shareWrong) < 0.01);
        QVERIFY(std::abs(positionSum / kFolds - position) < 0.03);
        QVERIFY(bagSum / kFolds > 0.7 && bagSum / kFolds < words + 0.02);
    }
};

QTEST_GUILESS_MAIN(TstGoldenBaselines)
#include "tst_golden_baselines.moc"
