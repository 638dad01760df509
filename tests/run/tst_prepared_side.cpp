// What becomes of rows that a layout refuses: data.bad_rows decides, as for rows that no format can read.
#include "core/data/format.h"
#include "core/run/prepared_side.h"
#include "core/store/run_store.h"
#include "tests/support/character_tokenizer.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

using namespace assay;
using namespace assay::tests;

namespace {

Example given(std::int64_t row, std::vector<TokenId> ids, std::size_t labels)
{
    TokenisedExample content;
    content.ids = std::move(ids);
    content.labels.assign(labels, Label::of(1.0F));
    Example example;
    example.source = "rows.jsonl";
    example.row = row;
    example.id = "row-" + std::to_string(row);
    example.content = std::move(content);
    return example;
}

} // namespace

class TestPreparedSide : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Three rows: one of fewer labels than ids, one with an id the model does not know, one that is well.
    void skipsAndCounts()
    {
        const auto rows = std::make_shared<MemoryDataset>(
            std::vector{given(3, {1, 2}, 1), given(4, {1, 99}, 2), given(6, {1, 2, 3}, 3)},
            std::vector<RowProblem>{{.source = "rows.jsonl", .row = 5, .message = "is no JSON"}});
        const auto layout = makeLayout({}, nullptr).value();
        const auto failed = layOutAll(rows, *layout, true, {.vocabulary = 50}, Refusals::Fail, {});
        QVERIFY(!failed.ok());
        QCOMPARE(failed.error().where,
                 std::string("rows.jsonl, row 4")); // the first, whichever thread met it
        const auto side = layOutAll(rows, *layout, true, {.vocabulary = 50}, Refusals::Skip, {});
        QVERIFY_RESULT(side);
        QCOMPARE(side->dataset->size(), std::int64_t(1));
        QCOMPARE(side->dataset->at(0).row, std::int64_t(6));
        QCOMPARE(side->rows.size(), std::size_t(1));
        QCOMPARE(side->kept, std::vector<std::int64_t>{0});
        QCOMPARE(side->tokens, std::int64_t(3));
        QCOMPARE(side->dropped, std::int64_t(0)); // a refused row is none that was too long
        const auto& problems = side->dataset->problems();
        QCOMPARE(problems.size(), std::size_t(3));
        QCOMPARE(problems[0].message, std::string("is no JSON"));
        QCOMPARE(problems[1].row, std::int64_t(3));
        QCOMPARE(problems[1].kind, std::string("layout-refused"));
        QCOMPARE(problems[1].message, std::string("2 ids and 1 labels"));
        QVERIFY(problems[2].message.find("99 is outside the vocabulary of 50") != std::string::npos);
    }

    /// A table of positions ends somewhere: what is longer is refused by row, not by the library.
    void rowsBeyondTheLastPosition()
    {
        const auto rows =
            std::make_shared<MemoryDataset>(std::vector{given(0, {1, 2, 3}, 3), given(1, {1, 2}, 2)});
        const auto layout = makeLayout({}, nullptr).value();
        const ModelLimits limits{.vocabulary = 50, .lastPosition = 2};
        const auto failed = layOutAll(rows, *layout, true, limits, Refusals::Fail, {});
        QVERIFY(!failed.ok());
        QCOMPARE(failed.error().where, std::string("rows.jsonl, row 1"));
        QVERIFY(failed.error().remedy.find("layout.maximum_tokens to 2") != std::string::npos);
        const auto side = layOutAll(rows, *layout, true, limits, Refusals::Skip, {});
        QVERIFY_RESULT(side);
        QCOMPARE(side->dataset->size(), std::int64_t(1));
    }

    /// When nothing would remain, it is not the rows that are at fault, and an empty set would not say why.
    void allRefusedIsAnError()
    {
        const auto rows = std::make_shared<MemoryDataset>(std::vector{given(0, {1, 2}, 1), given(1, {1}, 2)});
        const auto layout = makeLayout({}, nullptr).value();
        const auto side = layOutAll(rows, *layout, true, {.vocabulary = 50}, Refusals::Skip, {});
        QVERIFY(!side.ok());
        QCOMPARE(side.error().message, std::string("2 ids and 1 labels"));
    }

    /// The ids of a text come from the tokenizer: to skip its rows would train on what happens to fit.
    void tokenizerOfAnotherModelIsAnError()
    {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "rows.jsonl";
        std::ofstream(path) << rowsText(4);
        const auto rows = openDataset(path.string(), {});
        QVERIFY_RESULT(rows);
        const auto layout = makeLayout({}, std::make_shared<CharacterTokenizer>()).value();
        const auto side = layOutAll(*rows, *layout, true, {.vocabulary = 5}, Refusals::Skip, {});
        QVERIFY(!side.ok());
        QVERIFY(side.error().remedy.find("tokenizer") != std::string::npos);
    }

    /// Training goes on without them, says how many they were and why, and records only what it used.
    void trainsWithoutThem()
    {
        QTemporaryDir folder;
        const auto root = std::filesystem::path(folder.path().toStdString());
        std::ofstream(root / "rows.jsonl") << R"({"prompt":"a","completions":["x","y"],"labels":[true,null]})"
                                           << "\n" + rowsText(40);
        auto config = smallConfig(root / "rows.jsonl");
        config.layout.name = "trl-stepwise";
        config.schedule.maximumSteps = 2;
        Listener listener;
        const auto session = Session::create({root / "store"});
        const auto refused = session->train(config, listener, {});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, ErrorCode::BadData);
        config.data.badRows = "skip";
        listener.stopAfter = 1;
        const auto outcome = session->train(config, listener, listener.stop.get_token());
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->status, RunStatus::Stopped);
        const auto& findings = listener.preflight.findings;
        const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
            return finding.id == "layout-refused";
        });
        QVERIFY(found != findings.end());
        QCOMPARE(found->severity, Severity::Warning);
        QCOMPARE(found->number, 1.0);
        QVERIFY(found->evidence.find("row 1: some of its steps have no label") != std::string::npos);
        const auto ids = RunReader::open({root / "store"}).value()->splitIds(outcome->run);
        QVERIFY_RESULT(ids);
        QCOMPARE(ids->first.size() + ids->second.size(), std::size_t(40));
        Listener again;
        const auto resumed = session->resume(outcome->run, again, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->status, RunStatus::Finished);
    }
};

QTEST_APPLESS_MAIN(TestPreparedSide)
#include "tst_prepared_side.moc"
