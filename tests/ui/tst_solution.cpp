#include "ui/steps/evaluation_ribbon_model.h"
#include "ui/steps/solution.h"
#include "ui/steps/solution_list_model.h"
#include "ui/steps/step_details_pane.h"
#include "ui/steps/step_list_model.h"

#include <QAbstractItemModelTester>
#include <QtTest/QTest>

#include <cmath>

using namespace assay;

namespace {

/// Three steps: correct, wrong, not supervised, with the given probabilities in one evaluation (id 7) and 0.5
/// in an earlier one (id 6).
Solution sample(std::vector<double> probabilities)
{
    StoredExample example;
    example.id = "e";
    example.prompt = "p";
    std::vector<StoredPrediction> predictions;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        example.steps.push_back("step text " + std::to_string(i + 1));
        for (const std::int64_t evaluation : {6, 7}) {
            StoredPrediction row;
            row.evaluation = evaluation;
            row.readOut = row.step = static_cast<std::int32_t>(i);
            row.probability = evaluation == 7 ? probabilities[i] : 0.5;
            row.score = std::log(row.probability / (1.0 - row.probability));
            row.label = i == 1 ? 0.0 : 1.0;
            row.supervised = i != 2;
            predictions.push_back(row);
        }
    }
    const std::vector<EvaluationTrack> order = {{6, 100, {}}, {7, 200, {}}};
    return makeSolution(example, order, predictions, 7);
}

} // namespace

class TestSolution : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tags_data()
    {
        QTest::addColumn<int>("label");
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("text");
        QTest::newRow("no error at all") << -1 << -1 << QStringLiteral("no error");
        QTest::newRow("missed") << 3 << -1 << QStringLiteral("missed");
        QTest::newRow("missed in the first step") << 0 << -1 << QStringLiteral("missed");
        QTest::newRow("false alarm") << -1 << 2 << QStringLiteral("false alarm");
        QTest::newRow("late") << 3 << 5 << QStringLiteral("late by 2");
        QTest::newRow("early") << 3 << 2 << QStringLiteral("early by 1");
        QTest::newRow("found") << 4 << 4 << QStringLiteral("found");
    }
    void tags()
    {
        QFETCH(int, label);
        QFETCH(int, model);
        QTEST(solutionTag(label, model).text(), "text");
    }

    void thresholdTies_data()
    {
        QTest::addColumn<double>("threshold");
        QTest::addColumn<int>("firstPredicted");
        QTest::newRow("equality counts as correct") << 0.4 << -1;
        QTest::newRow("just above") << 0.4000001 << 1;
        QTest::newRow("above all") << 1.0 << 0;
    }
    void thresholdTies()
    {
        QFETCH(double, threshold);
        const Solution solution = sample({0.9, 0.4, 0.8});
        QTEST(solution.firstPredictedError(threshold), "firstPredicted");
        QCOMPARE(solution.firstTrueError(), 1);
    }

    void figuresOfAStep()
    {
        const Solution solution = sample({0.9, 0.94, 0.8});
        QVERIFY(std::abs(*solution.steps[0].loss() + std::log(0.9)) < 1e-12);
        QVERIFY(std::abs(*solution.steps[1].loss() + std::log(0.06)) < 1e-9);
        QVERIFY(!solution.steps[2].loss()); // without a label there is no loss
        const auto sums = solution.scores();
        QCOMPARE(sums->minimum, 0.8);
        QVERIFY(std::abs(sums->product - 0.9 * 0.94 * 0.8) < 1e-12);
        QCOMPARE(sums->last, 0.8);
        QVERIFY(!Solution().scores());
    }

    void confidentStepsHaveAFiniteLoss()
    {
        ReadStep step;
        step.read = step.supervised = true;
        step.score = 800.0;
        step.probability = 1.0;
        step.label = 0.0;
        QCOMPARE(*step.loss(), 800.0);
    }

    void stepVerdicts_data()
    {
        QTest::addColumn<double>("probability");
        QTest::addColumn<double>("label");
        QTest::addColumn<bool>("supervised");
        QTest::addColumn<QString>("word");
        QTest::newRow("agrees on wrong") << 0.1 << 0.0 << true << QStringLiteral("agrees");
        QTest::newRow("agrees at the threshold") << 0.5 << 1.0 << true << QStringLiteral("agrees");
        QTest::newRow("false positive") << 0.6 << 0.0 << true << QStringLiteral("false positive");
        QTest::newRow("confident") << 0.94 << 0.0 << true << QStringLiteral("confident error");
        QTest::newRow("false alarm") << 0.3 << 1.0 << true << QStringLiteral("false alarm");
        QTest::newRow("unlabelled") << 0.3 << 0.0 << false << QStringLiteral("no label");
    }
    void stepVerdicts()
    {
        QFETCH(double, probability);
        QFETCH(double, label);
        QFETCH(bool, supervised);
        ReadStep step;
        step.read = true;
        step.probability = probability;
        step.label = label;
        step.supervised = supervised;
        QTEST(stepVerdict(step, 0.5).text, "word");
    }

    void stepsAreReadAloud()
    {
        StepListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSolution(sample({0.9, 0.94, 0.3}));
        QCOMPARE(model.index(1).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Step 2, label wrong, probability 0.94, predicted correct, first error by "
                                "label. step text 2"));
        QCOMPARE(model.index(2).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Step 3, label not supervised, probability 0.30, predicted wrong, first "
                                "error by model. step text 3"));
        model.setSolution(sample({0.9, 0.1}));
        QCOMPARE(model.rowCount(), 2);
    }

    void errorsAreDisagreementsOnly()
    {
        StepListModel model;
        model.setSolution(sample({0.2, 0.94, 0.3})); // false alarm, miss, below but not supervised
        QCOMPARE(model.nextError(-1, 1), 0);
        QCOMPARE(model.nextError(0, 1), 1);
        QCOMPARE(model.nextError(1, 1), -1);
        QCOMPARE(model.nextError(3, -1), 1);
        model.setThreshold(0.1); // now the first step is predicted correct
        QCOMPARE(model.nextError(-1, 1), 1);
    }

    void anotherEvaluationKeepsTheRows()
    {
        StepListModel model;
        model.setSolution(sample({0.9, 0.94, 0.3}));
        const QPersistentModelIndex current = model.index(2);
        model.setSolution(sample({0.1, 0.2, 0.3}));
        QVERIFY(current.isValid());
        QCOMPARE(current.row(), 2);
    }

    void ribbonShowsEveryEvaluation()
    {
        EvaluationRibbonModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSolution(sample({0.9, 0.94, 0.3}), 0.5);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), 3);
        QCOMPARE(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString(),
                 QStringLiteral("200")); // newest first
        QCOMPARE(*model.probability(model.index(0, 1)), 0.94);
        QCOMPARE(*model.probability(model.index(1, 1)), 0.5);
        QCOMPARE(
            model.index(0, 2).data(Qt::AccessibleTextRole).toString(),
            QStringLiteral(
                "Step 3 at optimiser step 200: probability 0.30, below the threshold, label not supervised"));
    }

    void solutionListIsReadAloud()
    {
        SolutionListModel model([](const SolutionQuery&, SolutionListModel::Reply reply) {
            SolutionPage page;
            SolutionSummary row;
            row.exampleId = "a";
            row.ordinal = 1284;
            row.prompt = "A tank\nholds";
            row.probabilities = {0.98, 0.12};
            row.labels = {1.0, 0.0};
            row.supervised = {true, true};
            row.firstTrueError = row.firstPredictedError = 1;
            page.rows = {row};
            page.matching = 1;
            page.subsetCounts = {1, 0, 0, 0, 0};
            reply(std::move(page));
        });
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        SolutionQuery query;
        query.evaluation = 1;
        model.setQuery(query);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, 0).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Solution 1,284, found. A tank holds. 2 steps: step 1 probability 0.98 "
                                "labelled correct, step 2 "
                                "probability 0.12 below threshold labelled wrong"));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_MAIN(TestSolution)
#include "tst_solution.moc"
