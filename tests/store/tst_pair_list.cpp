#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "tests/support/pair_store.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

/// Pairs of an evaluation, filtered, sorted and counted in the store.
class TestPairList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void subsets_data();
    void subsets();
    void orders_data();
    void orders();
    void filters_data();
    void filters();
    void pagesAndErrors();
    void asSql();

private:
    SolutionQuery query() const
    {
        SolutionQuery query;
        query.evaluation = m_evaluation;
        query.pairs = true;
        query.sort = "file-order";
        return query;
    }
    /// Rows of the answer by their numbers in the file, from 0.
    QList<int> rows(const SolutionQuery& query)
    {
        const auto page = m_reader->solutions(query);
        if (!page.ok())
            qFatal("%s", page.error().text().c_str());
        QList<int> numbers;
        for (const auto& row : page->rows)
            numbers << static_cast<int>(row.ordinal) - 1;
        return numbers;
    }
    QTemporaryDir m_folder;
    std::unique_ptr<RunReader> m_reader;
    std::int64_t m_evaluation = 0;
};

void TestPairList::initTestCase()
{
    const StorePlace place{m_folder.path().toStdString() + "/store"};
    const auto run = fillPairStore(place, samplePairs());
    QVERIFY_RESULT(run);
    m_reader = *RunReader::open(place);
    const auto evaluations = m_reader->evaluations(*run);
    QVERIFY_RESULT(evaluations);
    m_evaluation = evaluations->back().id;
}

void TestPairList::subsets_data()
{
    QTest::addColumn<QString>("subset");
    QTest::addColumn<int>("place"); // among the counts
    QTest::addColumn<QList<int>>("expected");
    QTest::newRow("all") << "all" << 0 << QList<int>{0, 1, 2, 3, 4, 5};
    QTest::newRow("wrong") << "wrong-pairs" << 1 << QList<int>{1, 3};
    QTest::newRow("ties") << "ties" << 2 << QList<int>{2};
    QTest::newRow("confident") << "confident-errors" << 3 << QList<int>{3};
    QTest::newRow("longer") << "chosen-longer" << 4 << QList<int>{0, 3, 4, 5};
}

void TestPairList::subsets()
{
    QFETCH(QString, subset);
    QFETCH(int, place);
    QFETCH(QList<int>, expected);
    auto asked = query();
    asked.subset = subset.toStdString();
    QCOMPARE(rows(asked), expected);
    const auto page = m_reader->solutions(asked);
    QCOMPARE(page->subsetCounts.at(static_cast<std::size_t>(place)), std::int64_t{expected.size()});
    QCOMPARE(page->matching, std::int64_t{expected.size()});
    QVERIFY(page->rows.front().margin.has_value());
}

void TestPairList::orders_data()
{
    QTest::addColumn<QString>("sort");
    QTest::addColumn<QList<int>>("expected");
    QTest::newRow("file") << "file-order" << QList<int>{0, 1, 2, 3, 4, 5};
    QTest::newRow("most wrong") << "lowest-margin" << QList<int>{3, 1, 2, 5, 0, 4};
    QTest::newRow("largest") << "highest-margin" << QList<int>{4, 0, 5, 2, 1, 3};
    QTest::newRow("closest") << "closest" << QList<int>{2, 5, 1, 0, 3, 4};
    QTest::newRow("longest chosen") << "longest-chosen" << QList<int>{3, 5, 0, 4, 2, 1};
}

void TestPairList::orders()
{
    QFETCH(QString, sort);
    QFETCH(QList<int>, expected);
    auto asked = query();
    asked.sort = sort.toStdString();
    QCOMPARE(rows(asked), expected);
}

void TestPairList::filters_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QList<int>>("expected");
    QTest::newRow("margin") << "margin < -1" << QList<int>{3};
    QTest::newRow("rewards") << "chosen > 0.5 and rejected < 0" << QList<int>{4};
    QTest::newRow("lengths") << "chosen_length < 5" << QList<int>{1};
    QTest::newRow("text") << "answer ~ \"the sea\"" << QList<int>{3};
    QTest::newRow("word of the prompt") << "bread" << QList<int>{0};
    QTest::newRow("row") << "row = 3" << QList<int>{2};
}

void TestPairList::filters()
{
    QFETCH(QString, filter);
    QFETCH(QList<int>, expected);
    auto asked = query();
    asked.filter = filter.toStdString();
    QCOMPARE(rows(asked), expected);
}

void TestPairList::pagesAndErrors()
{
    auto asked = query();
    asked.offset = 4;
    asked.limit = 1;
    QCOMPARE(rows(asked), QList<int>{4});
    asked.filter = "colour > 3";
    QVERIFY(m_reader->solutions(asked).error().code == ErrorCode::Usage);
    asked = query();
    asked.subset = "disagreements"; // a subset of steps
    QVERIFY(m_reader->solutions(asked).error().code == ErrorCode::Usage);
    // Equal rewards everywhere before the first step: all pairs tie.
    asked = query();
    asked.evaluation = m_evaluation - 1;
    asked.subset = "ties";
    QCOMPARE(rows(asked).size(), 6);
}

/// The documented view: both answers of a pair with their texts.
void TestPairList::asSql()
{
    Database database(StorePlace{m_folder.path().toStdString() + "/store"}.database(), OpenMode::Read);
    database.script("PRAGMA trusted_schema = ON"); // as every SQL prompt has it; Assay itself does without
    auto statement = database.prepare("SELECT read_out, step_text FROM prediction_rows WHERE evaluation = ? "
                                      "ORDER BY example, read_out");
    statement.bind(m_evaluation);
    for (const auto& pair : samplePairs())
        for (const auto& answer : {pair.chosen, pair.rejected}) {
            QVERIFY(statement.step());
            QCOMPARE(statement.text(1), answer);
        }
    QVERIFY(!statement.step());
}

QTEST_GUILESS_MAIN(TestPairList)
#include "tst_pair_list.moc"
