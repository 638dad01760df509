#include "core/data/views.h"
#include "tests/support/test_data.h"

#include <numeric>
#include <set>

using namespace assay;

namespace {

/// `groups` prompts with `rowsEach` solutions each.
DatasetPtr dataset(int groups, int rowsEach, const char* prefix = "prompt ")
{
    std::vector<Example> examples;
    for (int group = 0; group < groups; ++group)
        for (int row = 0; row < rowsEach; ++row) {
            Example example;
            example.content = StepwiseExample{
                prefix + std::to_string(group), {{"step " + std::to_string(row), Label::of(1.0F)}}, {}};
            identify(example);
            examples.push_back(std::move(example));
        }
    return std::make_shared<MemoryDataset>(std::move(examples),
                                           std::vector<RowProblem>{{"file", 3, 4, "bad"}});
}

} // namespace

/// Subsets, concatenation, and the split by prompt group.
class TestViews : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void subsetKeepsOrder();
    void concatenates();
    void splits_data();
    void splits();
    void splitIsAFunctionOfSeedAndGroups();
    void splitErrors();
};

void TestViews::subsetKeepsOrder()
{
    const auto all = dataset(3, 2);
    const auto view = subset(all, {5, 0, 5});
    QCOMPARE(view->size(), std::int64_t{3});
    QCOMPARE(view->at(0).id, all->at(5).id);
    QCOMPARE(view->at(1).id, all->at(0).id);
    QCOMPARE(view->at(2).id, all->at(5).id);
    QCOMPARE(subset(all, {0, 1, 2, 3, 4, 5})->fingerprint(), all->fingerprint());
    QVERIFY(subset(all, {1, 0})->fingerprint() != subset(all, {0, 1})->fingerprint());
}

void TestViews::concatenates()
{
    const auto first = dataset(2, 1);
    const auto none = std::make_shared<MemoryDataset>(std::vector<Example>());
    const auto second = dataset(3, 1, "other ");
    const auto both = concat({none, first, none, second, none});
    QCOMPARE(both->size(), std::int64_t{5});
    QCOMPARE(both->problems().size(), std::size_t{2});
    for (std::int64_t i = 0; i < 5; ++i)
        QCOMPARE(both->at(i).id, i < 2 ? first->at(i).id : second->at(i - 2).id);
}

void TestViews::splits_data()
{
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("rowsEach");
    QTest::addColumn<double>("share");
    QTest::addColumn<int>("evaluation"); // rows
    QTest::newRow("a tenth") << 100 << 1 << 0.1 << 10;
    QTest::newRow("whole groups") << 10 << 5 << 0.25 << 15; // 12.5 rows wanted
    QTest::newRow("at least one group") << 10 << 3 << 0.001 << 3;
    QTest::newRow("one group stays") << 2 << 4 << 0.99 << 4;
    QTest::newRow("nearly all") << 10 << 1 << 0.999 << 9;
}

void TestViews::splits()
{
    QFETCH(int, groups);
    QFETCH(int, rowsEach);
    QFETCH(double, share);
    QFETCH(int, evaluation);
    const auto all = dataset(groups, rowsEach);
    const auto split = splitByGroup(*all, share, 7);
    QVERIFY_RESULT(split);
    QCOMPARE(static_cast<int>(split->evaluation.size()), evaluation);
    std::vector<std::int64_t> rows = split->train;
    rows.insert(rows.end(), split->evaluation.begin(), split->evaluation.end());
    std::sort(rows.begin(), rows.end());
    std::vector<std::int64_t> every(static_cast<std::size_t>(all->size()));
    std::iota(every.begin(), every.end(), 0);
    QCOMPARE(rows, every);
    std::set<std::string> trained;
    for (const auto row : split->train)
        trained.insert(all->at(row).group);
    for (const auto row : split->evaluation)
        QVERIFY(!trained.contains(all->at(row).group));
}

void TestViews::splitIsAFunctionOfSeedAndGroups()
{
    const auto all = dataset(40, 2);
    const auto first = *splitByGroup(*all, 0.2, 1);
    QCOMPARE(splitByGroup(*all, 0.2, 1)->evaluation, first.evaluation);
    QCOMPARE(splitByGroup(*all, 0.2, 1)->hash, first.hash);
    QVERIFY(splitByGroup(*all, 0.2, 2)->evaluation != first.evaluation);
    // The order of the rows changes their numbers, not who is on which side.
    std::vector<std::int64_t> reversed(80);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const auto again = *splitByGroup(*subset(all, reversed), 0.2, 1);
    QCOMPARE(again.hash, first.hash);
    QVERIFY(again.evaluation != first.evaluation);
}

void TestViews::splitErrors()
{
    QVERIFY(splitByGroup(*dataset(1, 9), 0.5, 1).error().code == ErrorCode::BadData);
    QVERIFY(splitByGroup(*dataset(9, 1), 0.0, 1).error().code == ErrorCode::Usage);
    QVERIFY(splitByGroup(*dataset(9, 1), 1.0, 1).error().code == ErrorCode::Usage);
}

QTEST_GUILESS_MAIN(TestViews)
#include "tst_views.moc"
