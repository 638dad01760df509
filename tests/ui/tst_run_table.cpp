#include "ui/models/run_table_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest/QTest>

#include <deque>

using namespace assay;

namespace {

RunSummary makeRun(int number)
{
    RunSummary run;
    run.id = "run" + std::to_string(number);
    run.name = "name " + std::to_string(number);
    run.status = RunStatus::Finished;
    return run;
}

/// A store that answers when the test says so, and remembers what was asked.
struct FakeStore
{
    std::vector<RunSummary> runs;
    std::vector<RunQuery> queries;
    std::deque<std::function<void()>> waiting;
    std::optional<Error> refusal;

    RunTableModel::Loader loader()
    {
        return [this](const RunQuery& query, RunTableModel::Reply reply) {
            queries.push_back(query);
            waiting.push_back([this, query, reply = std::move(reply)] {
                if (refusal) {
                    reply(*refusal);
                    return;
                }
                RunPage page;
                page.total = page.matching = static_cast<std::int64_t>(runs.size());
                for (auto i = query.offset;
                     i < std::min<std::int64_t>(query.offset + query.limit, page.total); ++i)
                    page.rows.push_back(runs[static_cast<std::size_t>(i)]);
                reply(std::move(page));
            });
        };
    }
    void answer()
    {
        while (!waiting.empty()) {
            auto next = std::move(waiting.front());
            waiting.pop_front();
            next();
        }
    }
};

} // namespace

class TestRunTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void modelKeepsItsContract()
    {
        FakeStore store;
        for (int i = 0; i < 450; ++i)
            store.runs.push_back(makeRun(i));
        RunTableModel model(store.loader());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.refresh();
        store.answer();
        QCOMPARE(model.rowCount(), 450);
        QVERIFY(model.row(0));
        QVERIFY(!model.row(300)); // not loaded: only the pages that are looked at are

        model.data(model.index(300, 0), Qt::DisplayRole);
        QTRY_VERIFY(!store.waiting.empty());
        store.answer();
        QCOMPARE(model.row(300)->id, std::string("run300"));

        store.runs.resize(120);
        std::reverse(store.runs.begin(), store.runs.end());
        model.refresh();
        store.answer();
        QCOMPARE(model.rowCount(), 120);
        store.runs.clear();
        model.refresh();
        store.answer();
        QCOMPARE(model.rowCount(), 0);
    }

    void selectionFollowsTheRunNotTheRow()
    {
        FakeStore store;
        for (int i = 0; i < 5; ++i)
            store.runs.push_back(makeRun(i));
        RunTableModel model(store.loader());
        model.refresh();
        store.answer();
        const QPersistentModelIndex selected = model.index(model.rowOf("run2"), RunTableModel::NameColumn);
        store.runs.insert(store.runs.begin(), makeRun(99)); // a new run appears on top
        model.refresh();
        store.answer();
        QCOMPARE(selected.row(), 3);
        QCOMPARE(selected.data().toString(), QStringLiteral("name 2"));
        store.runs.erase(store.runs.begin() + 3); // and the selected one goes
        model.refresh();
        store.answer();
        QVERIFY(!selected.isValid());
    }

    void onlyTheNewestAnswerCounts()
    {
        FakeStore store;
        store.runs = {makeRun(1), makeRun(2)};
        RunTableModel model(store.loader());
        QSignalSpy loaded(&model, &RunTableModel::loaded);
        model.refresh();
        model.setFilter(QStringLiteral("status = failed"));
        QCOMPARE(store.queries.size(), std::size_t(2));
        QCOMPARE(store.queries.back().filter, std::string("status = failed"));
        store.answer();
        QCOMPARE(loaded.count(), 1);
    }

    void refusedFilterKeepsTheRows()
    {
        FakeStore store;
        store.runs = {makeRun(1), makeRun(2)};
        RunTableModel model(store.loader());
        model.refresh();
        store.answer();
        store.refusal = Error{ErrorCode::Usage, "unknown field at character 1", "foo"};
        model.setFilter(QStringLiteral("foo > 1"));
        store.answer();
        QVERIFY(model.error());
        QCOMPARE(model.error()->where, std::string("foo"));
        QCOMPARE(model.rowCount(), 2);
        store.refusal.reset();
        model.setFilter({});
        store.answer();
        QVERIFY(!model.error());
    }

    void sortingIsLeftToTheStore()
    {
        FakeStore store;
        RunTableModel model(store.loader());
        model.sort(RunTableModel::MetricColumn, Qt::AscendingOrder);
        QCOMPARE(store.queries.back().sortColumn, std::string("metric"));
        QVERIFY(!store.queries.back().descending);
    }

    void cellTexts_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("spoken");
        const QString nbsp(QChar(0x00a0));
        QTest::newRow("status") << int(RunTableModel::StatusColumn)
                                << QStringLiteral("Running 25") + nbsp + QLatin1Char('%')
                                << QStringLiteral("Running 25") + nbsp + QLatin1Char('%');
        QTest::newRow("metric")
            << int(RunTableModel::MetricColumn) << QStringLiteral("Bal. acc. 0.779 0.764–0.793")
            << QStringLiteral("Balanced accuracy 0.779, 95 % interval [0.764, 0.793], baseline 0.594");
        QTest::newRow("verdict") << int(RunTableModel::VerdictColumn)
                                 << QStringLiteral("always True: no signal")
                                 << QStringLiteral("always True: no signal");
        QTest::newRow("tags") << int(RunTableModel::TagsColumn) << QStringLiteral("best, seed")
                              << QStringLiteral("best, seed");
        QTest::newRow("duration") << int(RunTableModel::DurationColumn)
                                  << QStringLiteral("1%1h 34%1min").arg(nbsp)
                                  << QStringLiteral("1%1h 34%1min").arg(nbsp);
    }
    void cellTexts()
    {
        QFETCH(int, column);
        FakeStore store;
        RunSummary run = makeRun(1);
        run.status = RunStatus::Running;
        run.step = 25;
        run.plannedSteps = 100;
        run.headline = HeadlineMetric{"balanced_accuracy", "Balanced accuracy", 0.779, 0.764, 0.793, 0.594};
        run.verdictId = "no-signal";
        run.verdictBadge = "always True: no signal";
        run.tags = {"best", "seed"};
        run.seconds = 94 * 60;
        store.runs = {run};
        RunTableModel model(store.loader());
        model.refresh();
        store.answer();
        QTEST(model.index(0, column).data().toString(), "text");
        QTEST(model.index(0, column).data(Qt::AccessibleTextRole).toString(), "spoken");
    }
};

QTEST_MAIN(TestRunTable)
#include "tst_run_table.moc"
