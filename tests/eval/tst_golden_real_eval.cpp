#include "core/eval/calibration.h"
#include "core/eval/first_error.h"
#include "core/eval/step_metrics.h"
#include "tests/support/golden_json.h"

#include <QtTest/QTest>

#include <map>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr double kTolerance = 1e-9;

struct Row
{
    int label = -1; ///< first wrong step
    std::size_t steps = 0;
    bool rightAnswer = false;
};

std::vector<Row> processBenchRows(const std::string& name)
{
    std::vector<Row> rows;
    for (const char* ending : {".jsonl", ".json"}) {
        const std::string part = "stepwise-processbench/" + name + ending;
        if (!std::filesystem::exists(testData() / part))
            continue;
        const auto values =
            std::string(ending) == ".jsonl" ? readJsonLines(part) : readJson(part).get<std::vector<Json>>();
        for (const auto& value : values)
            rows.push_back({value.at("label").get<int>(), value.at("steps").size(),
                            value.value("final_answer_correct", false)});
    }
    return rows;
}

/// Scores of a predictor named in the reference; constants are made here, seeded ones read.
std::vector<std::vector<double>> scoresOf(const std::string& predictor, const std::string& set,
                                          const std::vector<Row>& rows, const Json& stored)
{
    const std::string kind = predictor.substr(0, predictor.find('@'));
    if (stored.at(set).contains(kind)) {
        std::vector<std::vector<double>> scores;
        for (const auto& row : stored.at(set).at(kind))
            scores.push_back(numbersOf(row));
        return scores;
    }
    std::vector<std::vector<double>> scores;
    for (const auto& row : rows) {
        std::vector<double> one(row.steps, kind == "always_false" ? 0.0 : 1.0);
        if (kind == "first_step_false" && !one.empty())
            one.front() = 0.0;
        if (kind == "last_step_false" && !one.empty())
            one.back() = 0.0;
        scores.push_back(std::move(one));
    }
    return scores;
}

} // namespace

class TstGoldenRealEval : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void predictors_data()
    {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("predictor");
        const Json file = readJson("golden-trl/real_eval.json");
        if (file.is_discarded())
            return;
        for (const auto& [set, content] : file.at("processbench").items())
            for (const auto& [predictor, expected] : content.at("results").items())
                if (expected.contains("threshold"))
                    QTest::newRow((set + "/" + predictor).c_str())
                        << QString::fromStdString(set) << QString::fromStdString(predictor);
    }

    void predictors()
    {
        NEED_TEST_DATA("golden-trl/real_eval.json");
        NEED_TEST_DATA("stepwise-processbench");
        QFETCH(QString, set);
        QFETCH(QString, predictor);
        static const Json file = readJson("golden-trl/real_eval.json");
        static const Json stored = readJson("golden-trl/real_eval_scores.json");
        const auto rows = processBenchRows(set.toStdString());
        const auto& content = file.at("processbench").at(set.toStdString());
        QCOMPARE(rows.size(), content.at("rows").get<std::size_t>());
        const auto& expected = content.at("results").at(predictor.toStdString());
        const double threshold = numberOf(expected.at("threshold"));
        const auto scores = scoresOf(predictor.toStdString(), set.toStdString(), rows, stored);

        std::vector<ScoredSolution> solutions;
        std::vector<double> flat, labels;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(scores[i].size(), rows[i].steps);
            solutions.push_back({rows[i].label, scores[i]});
            const std::size_t end = rows[i].label < 0 ? rows[i].steps : std::size_t(rows[i].label) + 1;
            for (std::size_t k = 0; k < end; ++k) {
                flat.push_back(scores[i][k]);
                labels.push_back(rows[i].label >= 0 && k + 1 == end ? 0.0 : 1.0);
            }
        }
        const auto first = firstErrorMetrics(solutions, threshold);
        const auto steps = stepMetrics(flat, labels, threshold, ThresholdRule::AboveIsCorrect);
        std::string problems;
        const auto compare = [&](const char* part, const std::map<std::string, Measure>& measures) {
            for (const auto& [key, value] : expected.at(part).items()) {
                if (!value.is_object())
                    continue;
                const auto found = measures.find(key);
                const auto text = found == measures.end() ? "nothing computes " + key
                                                          : difference(key, found->second, value, kTolerance);
                if (!text.empty())
                    problems += text + "; ";
            }
        };
        compare("first_error", {{"error_accuracy", first.accuracyWrong},
                                {"correct_accuracy", first.accuracyCorrect},
                                {"f1", first.f1},
                                {"exact_match", first.exactMatch},
                                {"mean_signed_distance", first.meanSignedDistance},
                                {"within_one", first.withinOne}});
        compare("steps_up_to_first_error",
                {{"accuracy", steps.accuracy},
                 {"balanced_accuracy", steps.balancedAccuracy},
                 {"tpr", steps.truePositiveRate},
                 {"tnr", steps.trueNegativeRate},
                 {"f1_negative", steps.confusion.f1(false)},
                 {"mcc", steps.mcc},
                 {"auroc", steps.auroc},
                 {"average_precision_negative", steps.averagePrecisionWrong},
                 {"average_precision_negative_chance", steps.shareWrong},
                 {"predicted_positive_rate", steps.predictedPositiveRate},
                 {"brier", steps.brier},
                 {"ece_width10", calibrationError(flat, labels, 10, Binning::EqualWidth)},
                 {"ece_width15", calibrationError(flat, labels, 15, Binning::EqualWidth)},
                 {"mean_entropy", steps.meanEntropy}});
        std::vector<ScoredSolution> rightAnswer;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].rightAnswer && rows[i].label >= 0)
                rightAnswer.push_back(solutions[i]);
        const auto& drift = expected.at("right_answer_wrong_process");
        QCOMPARE(rightAnswer.size(), drift.at("n").get<std::size_t>());
        problems +=
            difference("right answer, wrong process", firstErrorMetrics(rightAnswer, threshold).accuracyWrong,
                       drift.at("error_accuracy"), kTolerance);
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void thresholdCurve_data()
    {
        QTest::addColumn<QString>("set");
        const Json file = readJson("golden-trl/real_eval.json");
        if (file.is_discarded())
            return;
        for (const auto& [set, content] : file.at("processbench").items())
            QTest::newRow(set.c_str()) << QString::fromStdString(set);
    }

    /// First-error F1 of the seeded predictor at every threshold, and the best of them.
    void thresholdCurve()
    {
        NEED_TEST_DATA("golden-trl/real_eval.json");
        NEED_TEST_DATA("stepwise-processbench");
        QFETCH(QString, set);
        const Json file = readJson("golden-trl/real_eval.json");
        const Json stored = readJson("golden-trl/real_eval_scores.json");
        const auto rows = processBenchRows(set.toStdString());
        const auto scores = scoresOf("signal", set.toStdString(), rows, stored);
        std::vector<ScoredSolution> solutions;
        for (std::size_t i = 0; i < rows.size(); ++i)
            solutions.push_back({rows[i].label, scores[i]});
        const auto& curve =
            file.at("processbench").at(set.toStdString()).at("results").at("signal_threshold_curve");
        const auto thresholds = numbersOf(curve.at("thresholds")), f1 = numbersOf(curve.at("f1"));
        double best = -1.0, bestThreshold = 0.0;
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            const double here = *firstErrorMetrics(solutions, thresholds[i]).f1.value;
            QVERIFY2(std::abs(here - f1[i]) < kTolerance, std::to_string(thresholds[i]).c_str());
            if (here > best) {
                best = here;
                bestThreshold = thresholds[i];
            }
        }
        QCOMPARE(bestThreshold, numberOf(curve.at("best")));
    }
};

QTEST_GUILESS_MAIN(TstGoldenRealEval)
#include "tst_golden_real_eval.moc"
