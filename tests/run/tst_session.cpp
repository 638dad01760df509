// The one door: training, resuming and judging through the store, on rows made here.
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/run/session.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>
#include <map>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

class TestSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
    }

    void recordsEverything()
    {
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto outcome = session->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->status, RunStatus::Finished);
        QCOMPARE(listener.steps.size(), std::size_t(12));
        QCOMPARE(listener.evaluations.size(), std::size_t(4)); // before step 0, at 4, 8 and 12
        QCOMPARE(listener.checkpoints.size(), std::size_t(3)); // 5, 10, 12
        const auto reader = RunReader::open({m_root / "store"}).value();
        const auto details = reader->run(outcome->run).value();
        QCOMPARE(details.summary.status, RunStatus::Finished);
        QCOMPARE(details.summary.plannedSteps, std::int64_t(12));
        for (const auto& text : {details.trainFingerprint, details.splitHash, details.tokenizerHash,
                                 details.weightsHash, details.headHash, details.buildId})
            QVERIFY(!text.empty());
        QCOMPARE(reader->steps(outcome->run, 0, 100)->size(), std::size_t(12));
        const auto evaluations = reader->evaluations(outcome->run).value();
        const auto page = reader->solutions({.evaluation = evaluations.back().id}).value();
        QCOMPARE(page.matching, listener.evaluations.back().examples);
        QVERIFY(!reader->example(page.rows.front().exampleId)->steps.empty());
        const auto view = session->tokenView(outcome->run, page.rows.front().exampleId);
        QVERIFY_RESULT(view);
        QVERIFY(std::count_if(view->tokens.begin(), view->tokens.end(),
                              [](const auto& token) { return token.readOut; }) == 4);
        QVERIFY(configFromJson(details.configJson).ok());
    }

    /// Stopped at any step and resumed, the losses, the last evaluation and the saved weights are the same
    /// bits.
    void resumesBitForBit_data()
    {
        QTest::addColumn<int>("stopAfter");
        QTest::newRow("before a checkpoint") << 3;
        QTest::newRow("on a checkpoint") << 5;
        QTest::newRow("after an evaluation") << 8;
        QTest::newRow("near the end") << 11;
    }
    void resumesBitForBit()
    {
        QFETCH(int, stopAfter);
        const auto config = smallConfig(m_root / "rows.jsonl");
        Listener straight;
        const auto whole = Session::create({m_root / "a"})->train(config, straight, {});
        QVERIFY_RESULT(whole);
        Listener first;
        first.stopAfter = stopAfter;
        const auto stopped = Session::create({m_root / "b"})->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(stopped->status, RunStatus::Stopped);
        Listener second;
        const auto resumed = Session::create({m_root / "b"})->resume(stopped->run, second, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->status, RunStatus::Finished);
        std::map<std::int64_t, double> losses;
        for (const auto* part : {&first, &second})
            for (const auto& step : part->steps)
                losses[step.step] = step.loss;
        for (const auto& step : straight.steps)
            QCOMPARE(losses.at(step.step), step.loss); // exact comparison of doubles
        QCOMPARE(second.evaluations.back().loss, straight.evaluations.back().loss);
        const auto file = [](const fs::path& store, const RunId& run) {
            std::ifstream in(store / "artefacts" / "runs" / run / "checkpoints" / "step-12" /
                                 "model.safetensors",
                             std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(in), {});
        };
        const auto expected = file(m_root / "a", whole->run);
        QVERIFY(!expected.empty());
        QVERIFY(file(m_root / "b", resumed->run) == expected);
    }

    void historicFaultBlocksAndIsSeenLive()
    {
        std::ofstream(m_root / "fault.jsonl") << rowsText(60, true);
        auto config = smallConfig(m_root / "fault.jsonl");
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto blocked = session->train(config, listener, {});
        QVERIFY(!blocked.ok());
        QCOMPARE(blocked.error().code, ErrorCode::Blocked);
        QVERIFY(!listener.preflight.findings.empty());
        config.run.overrideReason = "to see it live";
        const auto outcome = session->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->verdict.kind, VerdictKind::LabelsBroken);
        QVERIFY(listener.evaluations.size() >= 2);
        QCOMPARE(listener.evaluations[1].verdictId, std::string("labels-broken"));
        QVERIFY(std::any_of(listener.events.begin(), listener.events.end(),
                            [](const auto& event) { return event.kind == "override"; }));
    }

    void nothingSupervisedIsAnError()
    {
        std::ofstream(m_root / "none.jsonl") << R"({"prompt":"a","completions":["x"],"labels":[null]})"
                                             << "\n"
                                             << R"({"prompt":"b","completions":["y"],"labels":[null]})"
                                             << "\n";
        Listener listener;
        const auto outcome =
            Session::create({m_root / "store"})->train(smallConfig(m_root / "none.jsonl"), listener, {});
        QVERIFY(!outcome.ok());
        QVERIFY(outcome.error().code == ErrorCode::BadData || outcome.error().code == ErrorCode::Blocked);
    }

    void overfitsOneBatch()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.run.overfitOneBatch = true;
        config.head.dropout = 0.0;
        config.schedule.kind = "constant";
        config.schedule.maximumSteps = 150;
        config.backbone.width = 32;
        config.evaluation.everySteps = 0;
        config.evaluation.beforeStart = false;
        config.checkpoint.everySteps = 0;
        Listener listener;
        const auto outcome = Session::create({m_root / "store"})->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        QVERIFY2(listener.steps.back().loss < 0.05, std::to_string(listener.steps.back().loss).c_str());
    }

    void seedsChangeTheirOwnStreamOnly_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<bool>("sameHead");
        QTest::addColumn<bool>("sameSplit");
        QTest::addColumn<bool>("sameFirstLoss");
        QTest::newRow("order") << "run.order_seed" << true << true << false;
        QTest::newRow("head") << "run.head_seed" << false << true << false;
        QTest::newRow("dropout") << "run.dropout_seed" << true << true << false;
        QTest::newRow("split") << "run.split_seed" << true << false << false;
        QTest::newRow("name") << "run.name" << true << true << true;
    }
    void seedsChangeTheirOwnStreamOnly()
    {
        QFETCH(QString, field);
        QFETCH(bool, sameHead);
        QFETCH(bool, sameSplit);
        QFETCH(bool, sameFirstLoss);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 2;
        const auto session = Session::create({m_root / "store"});
        Listener before, after;
        const auto a = session->train(config, before, {});
        QVERIFY_RESULT(a);
        QVERIFY_RESULT(setField(config, field.toStdString(), "77"));
        const auto b = session->train(config, after, {});
        QVERIFY_RESULT(b);
        const auto reader = RunReader::open({m_root / "store"}).value();
        const auto first = reader->run(a->run).value(), second = reader->run(b->run).value();
        QCOMPARE(first.headHash == second.headHash, sameHead);
        QCOMPARE(first.splitHash == second.splitHash, sameSplit);
        QCOMPARE(before.steps[0].loss == after.steps[0].loss, sameFirstLoss);
    }

    void scorerReusesWhatDidNotChange()
    {
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto outcome = session->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        auto scorer = session->open(outcome->run, 0);
        QVERIFY_RESULT(scorer);
        const std::vector<std::string> steps = {"1 + 1 = 2", "2 + 2 = 5", "3 + 1 = 4"};
        const auto all = (*scorer)->score("Problem 1", steps);
        QVERIFY_RESULT(all);
        QCOMPARE(all->size(), std::size_t(3));
        auto edited = steps;
        edited[1] = "2 + 2 = 4";
        const auto changed = (*scorer)->score("Problem 1", edited);
        QVERIFY_RESULT(changed);
        QCOMPARE(changed->at(0).score, all->at(0).score);
        QVERIFY(changed->at(1).score != all->at(1).score);
        auto fresh = session->open(outcome->run, 0);
        const auto again = (*fresh)->score("Problem 1", edited);
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(std::abs(again->at(i).score - changed->at(i).score) < 1e-5);
    }

    void evaluatesACheckpoint()
    {
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto outcome = session->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        const auto same = session->evaluate(outcome->run, 0, "", listener, {});
        QVERIFY_RESULT(same);
        QVERIFY(std::abs(same->loss - listener.evaluations[3].loss) < 1e-6);
        QVERIFY(!session->evaluate(outcome->run, 7, "", listener, {}).ok());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
