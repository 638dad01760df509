#include "core/diagnostics/baselines.h"
#include "core/eval/bootstrap.h"
#include "core/eval/calibration.h"
#include "core/eval/first_error.h"
#include "core/eval/pairs/pair_metrics.h"
#include "core/eval/ranking.h"
#include "core/eval/step_metrics.h"
#include "tests/support/golden_json.h"

#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr double kTolerance = 1e-9;
using Problems = std::vector<std::string>;

void compare(Problems& problems, const std::string& name, const Measure& measured, const Json& expected)
{
    if (auto text = difference(name, measured, expected, kTolerance); !text.empty())
        problems.push_back(std::move(text));
}

/// Every measure the reference lists for binary scores; a key that is not known here is a problem.
void compareBinary(Problems& problems, const Json& expected, const std::vector<double>& scores,
                   const std::vector<double>& labels, double threshold)
{
    const auto all = stepMetrics(scores, labels, threshold, ThresholdRule::AboveIsCorrect);
    const auto& counts = all.confusion;
    const bool finite = nonFiniteReason(scores).empty();
    const auto ofCounts = [&](const Measure& measure) { return finite ? measure : all.accuracy; };
    const std::map<std::string, std::function<Measure()>> measures{
        {"base_rate", [&] { return all.baseRate; }},
        {"accuracy", [&] { return all.accuracy; }},
        {"predicted_positive_rate", [&] { return all.predictedPositiveRate; }},
        {"tpr", [&] { return all.truePositiveRate; }},
        {"tnr", [&] { return all.trueNegativeRate; }},
        {"recall_positive", [&] { return all.truePositiveRate; }},
        {"recall_negative", [&] { return all.trueNegativeRate; }},
        {"balanced_accuracy", [&] { return all.balancedAccuracy; }},
        {"precision_positive", [&] { return ofCounts(counts.precision(true)); }},
        {"precision_negative", [&] { return ofCounts(counts.precision(false)); }},
        {"f1_positive", [&] { return ofCounts(counts.f1(true)); }},
        {"f1_negative", [&] { return ofCounts(counts.f1(false)); }},
        {"mcc", [&] { return all.mcc; }},
        {"auroc", [&] { return all.auroc; }},
        {"average_precision_positive", [&] { return all.averagePrecisionCorrect; }},
        {"average_precision_negative", [&] { return all.averagePrecisionWrong; }},
        {"average_precision_negative_chance", [&] { return all.shareWrong; }},
        {"brier", [&] { return all.brier; }},
        {"log_loss", [&] { return all.logLoss; }},
        {"log_loss_clipped", [&] { return all.logLossClipped; }},
        {"mean_entropy", [&] { return all.meanEntropy; }},
        {"ece_width10", [&] { return calibrationError(scores, labels, 10, Binning::EqualWidth); }},
        {"ece_width15", [&] { return calibrationError(scores, labels, 15, Binning::EqualWidth); }},
        {"ece_mass10", [&] { return calibrationError(scores, labels, 10, Binning::EqualMass); }},
        {"ece_mass15", [&] { return calibrationError(scores, labels, 15, Binning::EqualMass); }},
        {"mce_width15", [&] { return maximumCalibrationError(scores, labels, 15); }},
    };
    for (const auto& [key, value] : expected.items()) {
        if (const auto found = measures.find(key); found != measures.end())
            compare(problems, key, found->second(), value);
        else if (key == "confusion" &&
                 (value.at("tp") != counts.truePositive || value.at("tn") != counts.trueNegative ||
                  value.at("fp") != counts.falsePositive || value.at("fn") != counts.falseNegative))
            problems.push_back("confusion");
        else if (key != "confusion" && key != "n" && key != "positives" && key != "negatives" &&
                 key != "non_finite" && key != "first_error_f1")
            problems.push_back("nothing computes " + key);
    }
}

Problems binary(const Json& input, const Json& expected)
{
    Problems problems;
    compareBinary(problems, expected, numbersOf(input.at("scores")), numbersOf(input.at("labels")),
                  numberOf(input.at("threshold")));
    return problems;
}

Problems firstError(const Json& input, const Json& expected)
{
    std::vector<ScoredSolution> solutions;
    for (const auto& solution : input.at("solutions"))
        solutions.push_back({solution.at("label").get<int>(), numbersOf(solution.at("scores"))});
    const double threshold = numberOf(input.at("threshold"));
    const auto metrics = firstErrorMetrics(solutions, threshold);
    Problems problems;
    compare(problems, "error_accuracy", metrics.accuracyWrong, expected.at("error_accuracy"));
    compare(problems, "correct_accuracy", metrics.accuracyCorrect, expected.at("correct_accuracy"));
    compare(problems, "f1", metrics.f1, expected.at("f1"));
    compare(problems, "exact_match", metrics.exactMatch, expected.at("exact_match"));
    compare(problems, "mean_signed_distance", metrics.meanSignedDistance,
            expected.at("mean_signed_distance"));
    compare(problems, "within_one", metrics.withinOne, expected.at("within_one"));
    if (expected.at("erroneous") != metrics.erroneous || expected.at("correct") != metrics.correct)
        problems.push_back("counts");
    if (expected.contains("predicted"))
        for (std::size_t i = 0; i < solutions.size(); ++i)
            if (expected.at("predicted").at(i) != predictedFirstError(solutions[i].scores, threshold))
                problems.push_back("prediction of solution " + std::to_string(i));
    return problems;
}

Problems wilsonInterval(const Json& input, const Json& expected)
{
    const auto interval = wilson(numberOf(input.at("successes")), numberOf(input.at("n")));
    Problems problems;
    const Measure none = Measure::undefined("no items");
    compare(problems, "low", interval ? Measure::of(interval->low) : none, expected.at("low"));
    compare(problems, "high", interval ? Measure::of(interval->high) : none, expected.at("high"));
    return problems;
}

void compareResamples(Problems& problems, const std::vector<Measure>& statistics, const Json& expected,
                      const Json& percentiles)
{
    std::vector<double> defined;
    for (const auto& statistic : statistics)
        if (statistic)
            defined.push_back(*statistic.value);
    const auto wanted = numbersOf(expected.at("statistics"));
    if (defined.size() != wanted.size())
        problems.push_back("number of defined resamples");
    for (std::size_t i = 0; i < std::min(defined.size(), wanted.size()); ++i)
        if (std::abs(defined[i] - wanted[i]) > kTolerance)
            problems.push_back("statistic " + std::to_string(i));
    const auto interval =
        percentileInterval(statistics, numberOf(percentiles.at(0)), numberOf(percentiles.at(1)));
    if (!interval) {
        problems.push_back("no interval");
        return;
    }
    compare(problems, "low", Measure::of(interval->low), expected.at("low"));
    compare(problems, "high", Measure::of(interval->high), expected.at("high"));
    if (expected.contains("undefined_resamples") &&
        expected.at("undefined_resamples") != interval->undefinedResamples)
        problems.push_back("undefined resamples");
}

Problems bootstrapInterval(const Json& input, const Json& expected)
{
    const auto values = numbersOf(input.at("values"));
    const bool isAuroc = input.at("statistic") == "auroc";
    const auto labels = isAuroc ? numbersOf(input.at("labels")) : std::vector<double>(values.size(), 1.0);
    const RankedLabels ranked(values, labels);
    std::vector<Measure> statistics;
    for (const auto& draw : input.at("resample_indices")) {
        std::vector<std::int32_t> weights(values.size(), 0);
        double sum = 0.0;
        for (const auto& index : draw) {
            ++weights[index.get<std::size_t>()];
            sum += values[index.get<std::size_t>()];
        }
        statistics.push_back(isAuroc ? ranked.auroc(weights) : Measure::of(sum / double(draw.size())));
    }
    Problems problems;
    compareResamples(problems, statistics, expected, input.at("percentiles"));
    return problems;
}

Problems clusteredInterval(const Json& input, const Json& expected)
{
    std::vector<std::vector<double>> clusters;
    for (const auto& name : input.at("order"))
        clusters.push_back(numbersOf(input.at("clusters").at(name.get<std::string>())));
    std::vector<Measure> statistics;
    for (const auto& draw : input.at("resample_cluster_indices")) {
        double sum = 0.0, count = 0.0;
        for (const auto& index : draw) {
            const auto& cluster = clusters[index.get<std::size_t>()];
            sum += std::accumulate(cluster.begin(), cluster.end(), 0.0);
            count += double(cluster.size());
        }
        statistics.push_back(Measure::ratio(sum, count, "no items"));
    }
    Problems problems;
    compareResamples(problems, statistics, expected, input.at("percentiles"));
    return problems;
}

std::vector<LabelledStep> stepsOf(const Json& rows)
{
    std::vector<LabelledStep> steps;
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t i = 0; i < rows[row].size(); ++i)
            steps.push_back({.example = int(row),
                             .position = int(i),
                             .label = float(numberOf(rows[row][i])),
                             .supervised = true});
    return steps;
}

Measure firstErrorOf(const std::vector<LabelledStep>& steps, const std::vector<double>& scores)
{
    std::map<std::int32_t, ScoredSolution> solutions;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto& solution = solutions[steps[i].example];
        if (steps[i].label < 0.5F && solution.firstError < 0)
            solution.firstError = steps[i].position;
        solution.scores.push_back(scores[i]);
    }
    std::vector<ScoredSolution> list;
    for (auto& [index, solution] : solutions)
        list.push_back(std::move(solution));
    return firstErrorMetrics(list, 0.5).f1;
}

Problems baselines(const Json& input, const Json& expected)
{
    const auto train = stepsOf(input.at("train_labels"));
    const auto evaluation = stepsOf(input.at("eval_labels"));
    std::vector<double> labels;
    for (const auto& step : evaluation)
        labels.push_back(step.label);
    const auto set = BaselineSet::fit(train);
    const std::map<std::string, Baseline> known{{"always_true", Baseline::AlwaysTrue},
                                                {"base_rate", Baseline::BaseRate},
                                                {"position_only", Baseline::Position}};
    Problems problems;
    std::size_t compared = 0;
    for (const auto& [name, metrics] : expected.at("baselines").items()) {
        const auto found = known.find(name);
        if (found == known.end())
            continue; // always False and the majority class are no rung of the ladder
        ++compared;
        const auto scores = set.probabilities(found->second, evaluation);
        Problems here;
        compareBinary(here, metrics, scores, labels, 0.5);
        compare(here, "first_error_f1", firstErrorOf(evaluation, scores), metrics.at("first_error_f1"));
        for (const auto& problem : here)
            problems.push_back(name + ": " + problem);
    }
    if (compared != known.size())
        problems.push_back("a baseline is missing from the reference");
    return problems;
}

Problems pairs(const Json& input, const Json& expected)
{
    const auto metrics = pairMetrics(numbersOf(input.at("chosen")), numbersOf(input.at("rejected")));
    const std::map<std::string, Measure> measures{{"accuracy_ties_half", metrics.accuracy},
                                                  {"accuracy_strict", metrics.accuracyStrict},
                                                  {"accuracy_ties_excluded", metrics.accuracyTiesExcluded},
                                                  {"tie_rate", metrics.tieRate},
                                                  {"mean_margin", metrics.meanMargin},
                                                  {"loss", metrics.logLoss}};
    Problems problems;
    for (const auto& [name, measure] : measures)
        compare(problems, name, measure, expected.at(name));
    if (expected.at("n") != metrics.pairs || expected.value("ties", metrics.ties) != metrics.ties)
        problems.push_back("counts");
    return problems;
}

Problems lengthCorrelation(const Json& input, const Json& expected)
{
    const auto lengths = numbersOf(input.at("lengths")), scores = numbersOf(input.at("scores"));
    Problems problems;
    compare(problems, "spearman", spearman(lengths, scores), expected.at("spearman"));
    compare(problems, "pearson", pearson(lengths, scores), expected.at("pearson"));
    return problems;
}

using Runner = Problems (*)(const Json& input, const Json& expected);
const std::map<std::string, Runner> kRunners{
    {"binary", binary},
    {"first_error", firstError},
    {"wilson", wilsonInterval},
    {"bootstrap", bootstrapInterval},
    {"bootstrap_clustered", clusteredInterval},
    {"baselines", baselines},
    {"pairs", pairs},
    {"length_correlation", lengthCorrelation},
};

} // namespace

class TstGoldenMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cases_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("index");
        const Json file = readJson("golden-trl/metrics.json");
        if (file.is_discarded())
            return;
        const auto& cases = file.at("cases");
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto kind = cases[i].at("kind").get<std::string>();
            if (!kRunners.contains(kind))
                continue;
            const auto name = kind + "/" + cases[i].at("name").get<std::string>();
            QTest::newRow(name.c_str()) << QString::fromStdString(kind) << int(i);
        }
    }

    void cases()
    {
        NEED_TEST_DATA("golden-trl/metrics.json");
        QFETCH(QString, kind);
        QFETCH(int, index);
        static const Json file = readJson("golden-trl/metrics.json");
        const auto& one = file.at("cases").at(std::size_t(index));
        const auto problems = kRunners.at(kind.toStdString())(one.at("input"), one.at("expected"));
        std::string text;
        for (const auto& problem : problems)
            text += problem + "; ";
        QVERIFY2(problems.empty(), text.c_str());
    }

    /// Says how many cases of each kind ran, and which kinds nothing here computes yet.
    void census()
    {
        NEED_TEST_DATA("golden-trl/metrics.json");
        const Json file = readJson("golden-trl/metrics.json");
        std::map<std::string, int> ran, left;
        for (const auto& one : file.at("cases")) {
            const auto kind = one.at("kind").get<std::string>();
            ++(kRunners.contains(kind) ? ran : left)[kind];
        }
        for (const auto& [kind, count] : ran)
            qInfo("%s: %d cases ran", kind.c_str(), count);
        for (const auto& [kind, count] : left)
            qInfo("%s: %d cases NOT run, no such metric yet", kind.c_str(), count);
        for (const auto& [kind, runner] : kRunners)
            QVERIFY2(ran.contains(kind), ("no case of kind " + kind).c_str());
    }
};

QTEST_GUILESS_MAIN(TstGoldenMetrics)
#include "tst_golden_metrics.moc"
