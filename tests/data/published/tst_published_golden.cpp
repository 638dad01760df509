// Published step data as it lies on disk: counts of rows, steps and labels as SOURCE.md and the data README
// say.
#include "core/data/format.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

using namespace assay;

class TestPublishedGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void counts_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("solutions");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("wrongSteps");
        QTest::addColumn<int>("allRight"); // solutions without a wrong step; -1 = not stated
        const auto row = [](const char* file, int solutions, int steps, int wrong, int allRight) {
            QTest::newRow(file) << QString(file) << solutions << steps << wrong << allRight;
        };
        row("stepwise-processbench/gsm8k.json", 400, 2082, 207, 193);
        row("stepwise-processbench/math.json", 1000, 6505, 594, 406);
        row("stepwise-bigbench-mistake/logical_deduction.jsonl", 300, 2497, 294, 6);
        row("stepwise-bigbench-mistake/multistep_arithmetic.jsonl", 300, 1506, 238, 62);
        row("stepwise-bigbench-mistake/tracking_shuffled_objects.jsonl", 300, 1617, 260, 40);
        row("stepwise-prmbench/prm800k_test_p1_4o_circular.jsonl", 90, 1064, 276, -1);
        row("stepwise-prmbench/prm800k_test_p1_4o_redundency.jsonl", 90, 1497, 186, -1);
        row("stepwise-prmbench/prm_test_p12_multi_solutions.jsonl", 165, 2326, 0, 165);
        row("stepwise-prmbench/prm800k_test_4o_clean.jsonl", 106, 1795, -1, -1);
        row("stepwise-mrben/math.json.gz", 918, 9690, 769, 149);
        row("stepwise-openr-samples/samples_math-shepherd.jsonl", 7, -1, -1, -1);
        row("stepwise-openr-samples/openr_prm_train_format.json", 3, -1, -1, -1);
        // 90, 13 and 42 prefixes, of which one each is the question alone.
        row("stepwise-openr-samples/samples_math-aps.jsonl", 142, 142, -1, -1);
        // 11 questions with a chain each, 33 alternatives; 73 steps stand in the chains.
        row("stepwise-versaprm-sample/prm800k_phase2_eval_small.json", 44, -1, -1, -1);
    }
    void counts()
    {
        QFETCH(QString, file);
        QFETCH(int, solutions);
        QFETCH(int, steps);
        QFETCH(int, wrongSteps);
        QFETCH(int, allRight);
        NEED_TEST_DATA(file.toStdString());
        const auto set = openDataset(tests::testData() / file.toStdString());
        QVERIFY_RESULT(set);
        QVERIFY2((*set)->problems().empty(),
                 (*set)->problems().empty() ? "" : (*set)->problems()[0].message.c_str());
        int stepCount = 0, wrong = 0, right = 0;
        for (std::int64_t i = 0; i < (*set)->size(); ++i) {
            const auto example = (*set)->at(i);
            int own = 0;
            for (const auto& step : example.stepwise()->steps) {
                ++stepCount;
                own += step.label.supervised && step.label.value == 0.0F ? 1 : 0;
            }
            wrong += own;
            right += own == 0 ? 1 : 0;
        }
        QCOMPARE(int((*set)->size()), solutions);
        if (steps >= 0)
            QCOMPARE(stepCount, steps);
        if (wrongSteps >= 0)
            QCOMPARE(wrong, wrongSteps);
        if (allRight >= 0)
            QCOMPARE(right, allRight);
    }

    /// Every node but the roots is supervised exactly once: 143, 90 and 24 nodes in three trees.
    void judgedOnce()
    {
        NEED_TEST_DATA("stepwise-openr-samples");
        const auto set =
            openDataset(tests::testData() / "stepwise-openr-samples" / "samples_math-aps-tree.jsonl");
        QVERIFY_RESULT(set);
        QVERIFY((*set)->problems().empty());
        int supervised = 0;
        for (std::int64_t i = 0; i < (*set)->size(); ++i) {
            const Example example = (*set)->at(i);
            for (const auto& step : example.stepwise()->steps)
                supervised += step.label.supervised ? 1 : 0;
        }
        QCOMPARE(supervised, 143 + 90 + 24 - 3);
    }

    /// PRM800K: as many supervised steps as there are ratings, and the human's own steps.
    void prm800k()
    {
        NEED_TEST_DATA("stepwise-openr-samples");
        for (const char* file : {"stepwise-openr-samples/samples_prm800k.jsonl",
                                 "stepwise-prm800k-samples/prm800k-phase1-test-example.json",
                                 "stepwise-prm800k-samples/prm800k-phase2-test-example.json"}) {
            const auto set = openDataset(tests::testData() / file);
            QVERIFY_RESULT(set);
            QVERIFY((*set)->problems().empty() && (*set)->size() > 0);
        }
    }
};

QTEST_APPLESS_MAIN(TestPublishedGolden)
#include "tst_published_golden.moc"
