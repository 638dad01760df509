#include "core/base/random.h"
#include "core/diagnostics/equations.h"
#include "core/diagnostics/label_checks.h"
#include "core/diagnostics/prompt_overlap.h"
#include "tests/support/stepwise_rows.h"

#include <QtTest/QTest>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr std::int32_t kSeparator = 13;

/// A row of `steps` steps of five tokens and a separator; every `labelled`-th position from the end of a step
/// counts.
Example tokenRow(int steps, int labelsPerStep, std::int64_t row)
{
    TokenisedExample tokens;
    for (int k = 0; k < steps; ++k)
        for (int t = 0; t < 6; ++t) {
            tokens.ids.push_back(t == 5 ? kSeparator : 100 + int(row) * 7 + t);
            tokens.labels.push_back(t >= 6 - labelsPerStep ? Label::of(k % 3 == 2 ? 0.0F : 1.0F)
                                                           : Label::none());
        }
    Example example;
    example.row = row;
    example.content = std::move(tokens);
    identify(example);
    return example;
}

const Finding* finding(const LabelChecks& checks, std::string_view id)
{
    for (const auto& one : checks.report.findings)
        if (one.id == id)
            return &one;
    return nullptr;
}

LabelChecks checkRows(std::vector<Example> rows, std::vector<std::int32_t> separators = {})
{
    const MemoryDataset dataset(std::move(rows));
    LabelCheckInput input;
    input.train = &dataset;
    input.separatorIds = std::move(separators);
    return checkLabels(input);
}

/// Rows with both classes and nothing wrong.
std::vector<Example> cleanRows(int count, const std::string& prompt = "problem number ")
{
    std::vector<Example> rows;
    RandomStream random(3, "rows");
    for (int i = 0; i < count; ++i) {
        std::vector<Step> steps;
        for (int k = 0; k < 4; ++k)
            steps.push_back(
                labelledStep("step " + std::to_string(random.below(1000)), random.chance(0.7) ? 1.0F : 0.0F));
        rows.push_back(stepwiseExample(prompt + std::to_string(i), std::move(steps), i));
    }
    return rows;
}

} // namespace

class TstLabelChecks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labelsPerStep_data()
    {
        QTest::addColumn<int>("labels");
        QTest::addColumn<bool>("separatorKnown");
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("number");
        QTest::newRow("one") << 1 << true << "" << 1.0;
        QTest::newRow("one, separator not known") << 1 << false << "" << 1.0;
        QTest::newRow("two") << 2 << true << "more-than-one-label-per-step" << 2.0;
        QTest::newRow("two, separator not known") << 2 << false << "more-than-one-label-per-step" << 2.0;
        QTest::newRow("all") << 6 << true << "ignore-values-as-labels" << 6.0;
    }
    void labelsPerStep()
    {
        QFETCH(int, labels);
        QFETCH(bool, separatorKnown);
        QFETCH(QString, id);
        QFETCH(double, number);
        std::vector<Example> rows;
        for (int i = 0; i < 10; ++i)
            rows.push_back(tokenRow(5, labels, i));
        const auto checks = checkRows(std::move(rows),
                                      separatorKnown ? std::vector{kSeparator} : std::vector<std::int32_t>{});
        QCOMPARE(checks.supervisedPerStep, number);
        QCOMPARE(checks.ignoreValuesAsLabels, labels == 6);
        for (const char* one : {"more-than-one-label-per-step", "ignore-values-as-labels"})
            QCOMPARE(finding(checks, one) != nullptr, id == QLatin1String(one));
        if (!id.isEmpty())
            QCOMPARE(finding(checks, id.toStdString())->severity, Severity::Red);
    }

    /// An empty step puts two labelled separators side by side; that is two steps, not one with two labels.
    void neighbouringSeparatorsAreTwoSteps()
    {
        Example example;
        example.content = TokenisedExample{
            {1, 5, kSeparator, kSeparator, 7, kSeparator},
            {Label::none(), Label::none(), Label::of(1), Label::of(0), Label::none(), Label::of(1)}};
        QCOMPARE(tokenisedSteps(example, std::vector{kSeparator}), 3);
        QCOMPARE(tokenisedSteps(example, {}), 2);
    }

    /// A large set made from a few templates must not compare every pair.
    void manyPromptsFromFewTemplates()
    {
        const auto prompts = [](int count, int first) {
            std::vector<Example> rows;
            for (int i = 0; i < count; ++i) {
                std::string text;
                for (int w = 0; w < 40; ++w)
                    text += "word" + std::to_string(w == 20 ? 1000 + first + i : 40 * (i % 5) + w) + " ";
                rows.push_back(stepwiseExample(text, {labelledStep("a", 1.0F)}, i));
            }
            return rows;
        };
        const MemoryDataset train(prompts(5000, 0)), evaluation(prompts(500, 10000));
        QElapsedTimer timer;
        timer.start();
        const auto overlap = promptOverlap(train, evaluation);
        qInfo("5,000 and 500 prompts of five templates: %lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(overlap.nearDuplicates.size(), std::size_t(500));
        QVERIFY(timer.elapsed() < 5000);
    }

    /// One long instruction before every question makes no two questions alike; two that differ in a word
    /// still are.
    void aLongTemplateIsNoLikeness_data()
    {
        QTest::addColumn<int>("instructionWords");
        QTest::newRow("none") << 0;
        QTest::newRow("long") << 200;
    }
    void aLongTemplateIsNoLikeness()
    {
        QFETCH(int, instructionWords);
        const auto prompt = [&](const std::string& subject, int changed) {
            std::string text;
            for (int w = 0; w < instructionWords; ++w)
                text += "instruction" + std::to_string(w) + " ";
            for (int w = 0; w < 20; ++w)
                text += subject + std::to_string(w == changed ? 99 : w) + " ";
            return text;
        };
        std::vector<Example> train, evaluation;
        for (int i = 0; i < 40; ++i) {
            train.push_back(
                stepwiseExample(prompt("seen" + std::to_string(i) + "x", -1), {labelledStep("a", 1.0F)}, i));
            evaluation.push_back(stepwiseExample(prompt("unseen" + std::to_string(i) + "x", -1),
                                                 {labelledStep("a", 1.0F)}, i));
        }
        // The last word alone differs: of 18 three-word runs 17 are the same.
        evaluation.push_back(stepwiseExample(prompt("seen7x", 19), {labelledStep("a", 1.0F)}, 40));
        const MemoryDataset trainSet(train), evaluationSet(evaluation);
        const auto overlap = promptOverlap(trainSet, evaluationSet);
        QCOMPARE(overlap.nearDuplicates.size(), std::size_t(1));
        QCOMPARE(overlap.nearDuplicates[0].evaluationRow, std::int64_t(40));
        QCOMPARE(overlap.nearDuplicates[0].trainRow, std::int64_t(7));
        QCOMPARE(overlap.templateRuns > 0, instructionWords > 0);
        LabelCheckInput input;
        input.train = &trainSet;
        input.evaluation = &evaluationSet;
        const auto checks = checkLabels(input);
        const auto* found = finding(checks, "near-duplicate-prompt");
        QVERIFY(found);
        QVERIFY2(found->evidence.starts_with("1 of 41 evaluation rows"), found->evidence.c_str());
        QCOMPARE(found->evidence.find("have left out") != std::string::npos, instructionWords > 0);
    }

    void labelsOffTheSeparator()
    {
        auto row = tokenRow(5, 1, 0);
        auto& tokens = std::get<TokenisedExample>(row.content);
        std::rotate(tokens.labels.begin(), tokens.labels.begin() + 1, tokens.labels.end());
        const auto checks = checkRows({row, tokenRow(5, 1, 1)}, {kSeparator});
        QVERIFY(finding(checks, "supervised-off-separator"));
        QCOMPARE(finding(checks, "supervised-off-separator")->number, 5.0);
        QVERIFY(!finding(checkRows({tokenRow(5, 1, 0), tokenRow(5, 1, 1)}, {kSeparator}),
                         "supervised-off-separator"));
    }

    void layoutThatReadsAStepTwice()
    {
        const auto rows = cleanRows(10);
        const MemoryDataset dataset(rows);
        std::vector<LaidOut> laidOut(rows.size());
        for (auto& row : laidOut)
            row.targets.mask.assign(8, 1); // four steps
        LabelCheckInput input;
        input.train = &dataset;
        input.trainRows = laidOut;
        QCOMPARE(checkLabels(input).supervisedPerStep, 2.0);
    }

    void truncation_data()
    {
        QTest::addColumn<int>("lostWrong");
        QTest::addColumn<int>("lostCorrect");
        QTest::addColumn<int>("severity"); // -1 = not found
        QTest::newRow("nothing") << 0 << 0 << -1;
        QTest::newRow("a correct one") << 0 << 1 << int(Severity::Note);
        QTest::newRow("some wrong ones") << 4 << 0 << int(Severity::Warning);
        QTest::newRow("all but one") << 39 - 27 << 27 << int(Severity::Warning);
        QTest::newRow("every label") << 40 - 27 << 27 << int(Severity::Red);
    }
    void truncation()
    {
        QFETCH(int, lostWrong);
        QFETCH(int, lostCorrect);
        QFETCH(int, severity);
        const auto rows = cleanRows(10);
        const MemoryDataset dataset(rows);
        std::vector<LaidOut> laidOut(rows.size());
        laidOut[4].cut = {.tokens = 9,
                          .labelsCorrect = lostCorrect,
                          .labelsWrong = lostWrong,
                          .readOuts = lostWrong + lostCorrect};
        LabelCheckInput input;
        input.train = &dataset;
        input.trainRows = laidOut;
        const auto checks = checkLabels(input);
        const auto* one = finding(checks, "truncation-loss");
        QCOMPARE(checks.train.correct + checks.train.wrong, std::int64_t(40));
        QCOMPARE(one ? int(one->severity) : -1, severity);
        if (one) {
            QCOMPARE(one->title.find("every label of training") != std::string::npos,
                     severity == int(Severity::Red));
            QCOMPARE(one->rows, std::vector<std::int64_t>{4});
        }
    }

    /// A ruler without a single exception blocks; one exception, or too few rows to tell, only warns.
    void labelsThatFollowFromARuler_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<bool>("byLength");
        QTest::addColumn<bool>("exception");
        QTest::addColumn<int>("severity"); // -1 = not found
        QTest::newRow("position") << 60 << false << false << int(Severity::Red);
        QTest::newRow("position, one exception") << 60 << false << true << int(Severity::Warning);
        QTest::newRow("position, few rows") << 40 << false << false << int(Severity::Warning);
        QTest::newRow("length") << 60 << true << false << int(Severity::Red);
        QTest::newRow("length, one exception") << 60 << true << true << int(Severity::Warning);
        QTest::newRow("length, few rows") << 40 << true << false << int(Severity::Warning);
    }
    void labelsThatFollowFromARuler()
    {
        QFETCH(int, rows);
        QFETCH(bool, byLength);
        QFETCH(bool, exception);
        QFETCH(int, severity);
        std::vector<Example> examples;
        for (int i = 0; i < rows; ++i) {
            std::vector<Step> steps;
            for (int k = 0; k < 4; ++k) {
                const bool wrong = byLength ? (i + k) % 2 == 0 : k >= 2;
                const bool odd = exception && i == 0 && k == (byLength ? 0 : 3);
                const std::size_t length = byLength ? (wrong ? 9 : 5) : std::size_t(3 + (i + 3 * k) % 5);
                steps.push_back(labelledStep(std::string(length, 'a'), wrong != odd ? 0.0F : 1.0F));
            }
            examples.push_back(stepwiseExample("problem " + std::to_string(i), std::move(steps), i));
        }
        const auto checks = checkRows(std::move(examples));
        const auto* one = finding(checks, byLength ? "predictable-from-length" : "predictable-from-position");
        QCOMPARE(one ? int(one->severity) : -1, severity);
    }

    /// An evaluation file can be looked at without the training side.
    void oneSideIsEnough()
    {
        const auto rows = cleanRows(10);
        const MemoryDataset dataset(rows);
        LabelCheckInput input;
        input.evaluation = &dataset;
        const auto checks = checkLabels(input);
        QCOMPARE(checks.evaluation.supervised, std::int64_t(40));
        QCOMPARE(checks.train.rows, std::int64_t(0));
        QVERIFY(finding(checks, "too-few-negatives"));
        QVERIFY(!finding(checks, "nothing-supervised"));
        QCOMPARE(checks.leakedShare, 0.0);
    }

    void nothingSupervised()
    {
        auto rows = cleanRows(3);
        for (auto& row : rows)
            for (auto& step : std::get<StepwiseExample>(row.content).steps)
                step.label = Label::none();
        const auto checks = checkRows(std::move(rows));
        QVERIFY(finding(checks, "nothing-supervised"));
        QVERIFY(!finding(checks, "one-class-only"));
    }

    void refusedRows_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("id");
        QTest::newRow("known") << "labels-are-text"
                               << "labels-are-text";
        QTest::newRow("by the layout") << "layout-refused"
                                       << "layout-refused";
        QTest::newRow("not known") << ""
                                   << "rows-refused";
    }
    void refusedRows()
    {
        QFETCH(QString, kind);
        QFETCH(QString, id);
        RowProblem problem;
        problem.row = 7;
        problem.message = "something is wrong here";
        problem.kind = kind.toStdString();
        const MemoryDataset dataset(cleanRows(20), {problem});
        LabelCheckInput input;
        input.train = &dataset;
        const auto checks = checkLabels(input);
        QVERIFY(finding(checks, id.toStdString()));
        QCOMPARE(finding(checks, id.toStdString())->severity, Severity::Red);
        QCOMPARE(finding(checks, id.toStdString())->rows, std::vector<std::int64_t>{7});
        QVERIFY(finding(checks, id.toStdString())->evidence.find("something is wrong here") !=
                std::string::npos);
        input.skipBadRows = true;
        QCOMPARE(finding(checkLabels(input), id.toStdString())->severity, Severity::Warning);
    }

    void evaluationInsideTraining()
    {
        const MemoryDataset train(cleanRows(40)), evaluation(cleanRows(40));
        LabelCheckInput input;
        input.train = &train;
        input.evaluation = &evaluation;
        const auto checks = checkLabels(input);
        QCOMPARE(checks.leakedShare, 1.0);
        QCOMPARE(finding(checks, "prompt-leak")->severity, Severity::Red);
        QVERIFY(!finding(checks, "near-duplicate-prompt"));
    }

    /// The index must find exactly what comparing every pair finds.
    void nearDuplicatesEqualBruteForce()
    {
        RandomStream random(5, "prompts");
        const auto prompts = [&](int count) {
            std::vector<Example> rows;
            for (int i = 0; i < count; ++i) {
                std::string text;
                const auto base = random.below(12); // few templates, a few changed words
                for (std::uint64_t w = 0; w < 30; ++w)
                    text += "w" + std::to_string(random.chance(0.03) ? random.below(500) : base * 100 + w) +
                            (w % 7 ? " " : ", ");
                rows.push_back(stepwiseExample(text, {labelledStep("a", 1.0F)}, i));
            }
            return rows;
        };
        const auto trainRows = prompts(60), evaluationRows = prompts(60);
        const auto overlap = promptOverlap(MemoryDataset(trainRows), MemoryDataset(evaluationRows));
        std::vector<std::int64_t> found, expected;
        for (const auto& pair : overlap.nearDuplicates)
            found.push_back(pair.evaluationRow);
        for (const auto& row : evaluationRows) {
            double best = 0.0;
            bool equal = false;
            for (const auto& other : trainRows) {
                equal = equal || other.group == row.group;
                best = std::max(best, jaccard(wordShingles(row.stepwise()->prompt),
                                              wordShingles(other.stepwise()->prompt)));
            }
            if (!equal && best >= 0.8)
                expected.push_back(row.row);
        }
        QVERIFY(expected.size() > 5 && expected.size() < 60);
        QCOMPARE(found, expected);
    }

    void equations_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("holds"); // -1 = no equation
        QTest::newRow("right") << "so 19 - 8 = 11" << 1;
        QTest::newRow("wrong") << "Next: 28 + 29 = 58." << 0;
        QTest::newRow("line break") << "get 55 + 29 =\n84" << 1;
        QTest::newRow("later in the text") << "In 2 days we have 3 * 4 = 12 left" << 1;
        QTest::newRow("none") << "There are 12 apples" << -1;
        QTest::newRow("division by zero") << "1 / 0 = 3" << -1;
    }
    void equations()
    {
        QFETCH(QString, text);
        QFETCH(int, holds);
        const auto result = equationHolds(text.toStdString());
        QCOMPARE(result ? int(*result) : -1, holds);
    }
};

QTEST_GUILESS_MAIN(TstLabelChecks)
#include "tst_label_checks.moc"
