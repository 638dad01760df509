#include "core/train/batch_plan.h"
#include "core/train/schedule.h"

#include <QtTest/QTest>

#include <algorithm>
#include <set>

using namespace assay;

class TestBatchPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void epochs_data()
    {
        QTest::addColumn<int>("examples");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("worldSize");
        QTest::addColumn<int>("steps");
        QTest::newRow("25 micro-batches, accumulation 2") << 4 << 2 << 1 << 13;
        QTest::newRow("one micro-batch a step") << 4 << 1 << 1 << 25;
        QTest::newRow("two ranks") << 4 << 1 << 2 << 13;
        QTest::newRow("larger than the data") << 500 << 1 << 1 << 1;
    }
    void epochs()
    {
        QFETCH(int, examples);
        QFETCH(int, accumulation);
        QFETCH(int, worldSize);
        QFETCH(int, steps);
        const BatchPlan plan(
            std::vector<std::int64_t>(100, 10),
            {.examples = examples, .accumulation = accumulation, .seed = 3, .worldSize = worldSize});
        QCOMPARE(plan.stepsInEpoch(0), std::int64_t(steps));
        for (int epoch = 0; epoch < 2; ++epoch) {
            std::multiset<std::int64_t> seen;
            for (int step = 0; step < steps; ++step) {
                const auto planned = plan.step(epoch * steps + step);
                for (const auto& rank : planned.ranks)
                    for (const auto& batch : rank)
                        seen.insert(batch.begin(), batch.end());
            }
            QCOMPARE(seen.size(), std::size_t(100));
            QCOMPARE(std::set(seen.begin(), seen.end()).size(), std::size_t(100));
        }
    }

    void isAPureFunctionOfTheStep()
    {
        const BatchPlanOptions options{.examples = 3, .accumulation = 2, .maximumTokens = 40, .seed = 9};
        std::vector<std::int64_t> lengths;
        for (int i = 0; i < 57; ++i)
            lengths.push_back(5 + i % 13);
        const BatchPlan first(lengths, options);
        const BatchPlan second(lengths, options);
        const auto steps = first.stepsIn(3);
        for (auto step = steps - 1; step >= 0;
             --step) // backwards: nothing may depend on what was asked before
            QVERIFY(first.step(step).ranks == second.step(step).ranks);
    }

    void ranksShareWhatOneRankDoes()
    {
        const std::vector<std::int64_t> lengths(40, 1);
        const BatchPlan one(lengths, {.examples = 2, .accumulation = 4, .seed = 1});
        const BatchPlan two(lengths, {.examples = 2, .accumulation = 2, .seed = 1, .worldSize = 2});
        for (int step = 0; step < 5; ++step) {
            std::multiset<std::int64_t> a, b;
            const auto ofOne = one.step(step);
            const auto ofTwo = two.step(step);
            for (const auto& batch : ofOne.ranks[0])
                a.insert(batch.begin(), batch.end());
            for (const auto& rank : ofTwo.ranks)
                for (const auto& batch : rank)
                    b.insert(batch.begin(), batch.end());
            QVERIFY(a == b);
        }
    }

    void tokenBudget()
    {
        const BatchPlan plan({30, 30, 30, 100, 5, 5},
                             {.examples = 8, .maximumTokens = 60, .shuffled = false});
        QCOMPARE(plan.step(0).ranks[0][0], (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(plan.step(1).ranks[0][0], (std::vector<std::int64_t>{2}));
        QCOMPARE(plan.step(2).ranks[0][0], (std::vector<std::int64_t>{3})); // alone, though over the budget
        QCOMPARE(plan.step(3).ranks[0][0], (std::vector<std::int64_t>{4, 5}));
    }

    void seedChangesOnlyTheOrder()
    {
        const std::vector<std::int64_t> lengths(64, 1);
        const BatchPlan a(lengths, {.seed = 1}), b(lengths, {.seed = 2});
        QVERIFY(a.step(0).ranks != b.step(0).ranks);
        const BatchPlan fileOrder(lengths, {.shuffled = false, .seed = 5});
        QCOMPARE(fileOrder.step(1).ranks[0][0].front(), std::int64_t(8));
    }

    void overfitControlRepeatsOneStep()
    {
        const BatchPlan plan(std::vector<std::int64_t>(50, 1), {.seed = 2, .repeatFirstStep = true});
        QVERIFY(plan.step(0).ranks == plan.step(77).ranks);
    }

    void schedule_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("warmup");
        QTest::addColumn<int>("step");
        QTest::addColumn<double>("finalShare");
        QTest::addColumn<double>("expected");
        QTest::newRow("warm-up starts at 0") << "linear" << 5 << 0 << 0.0 << 0.0;
        QTest::newRow("warm-up") << "linear" << 5 << 3 << 0.0 << 0.6;
        QTest::newRow("peak") << "linear" << 5 << 5 << 0.0 << 1.0;
        QTest::newRow("linear") << "linear" << 5 << 14 << 0.0 << 6.0 / 15.0;
        QTest::newRow("constant") << "constant" << 5 << 19 << 0.0 << 1.0;
        QTest::newRow("cosine, half way") << "cosine" << 0 << 10 << 0.0 << 0.5;
        QTest::newRow("cosine to a tenth") << "cosine" << 0 << 20 << 0.1 << 0.1;
    }
    void schedule()
    {
        QFETCH(QString, kind);
        QFETCH(int, warmup);
        QFETCH(int, step);
        QFETCH(double, finalShare);
        QFETCH(double, expected);
        ScheduleConfig config;
        config.kind = kind.toStdString();
        config.warmupSteps = warmup;
        config.finalShare = finalShare;
        QVERIFY(std::abs(scheduleFactor(config, step, 20) - expected) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestBatchPlan)
#include "tst_batch_plan.moc"
