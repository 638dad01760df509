// Preference pairs through the one door: training, resuming, evaluating, scoring, on rows made here.
#include "core/config/fields.h"
#include "core/run/session.h"
#include "tests/support/small_pairs.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace assay;
using tests::pairsText;
namespace fs = std::filesystem;

namespace {

ExperimentConfig smallConfig(const fs::path& data)
{
    ExperimentConfig config;
    config.data.train = data.string();
    config.data.evaluationShare = 0.3;
    config.layout.name = "pairwise"; // all that has to be said about the task
    config.backbone.source = "scratch";
    config.backbone.width = 16;
    config.backbone.layers = 1;
    config.backbone.heads = 2;
    config.backbone.keyValueHeads = 1;
    config.backbone.mlpWidth = 24;
    config.backbone.initialDeviation = 0.1;
    config.optimiser.learningRate = 1e-2;
    config.batch.examples = 4;
    config.batch.accumulation = 2;
    config.schedule.epochs = 10;
    config.schedule.maximumSteps = 30;
    config.evaluation.everySteps = 10;
    config.evaluation.bootstrapSamples = 50;
    config.checkpoint.everySteps = 10;
    config.compute.dtype = "float32";
    config.compute.threads = 1;
    return config;
}

class Listener : public RunObserver
{
public:
    std::vector<StepRecord> steps;
    std::vector<EvaluationRecord> evaluations;
    Report preflight;
    std::stop_source stop;
    std::int64_t stopAfter = -1;

    void preflightDone(const Report& report) override { preflight = report; }
    void stepDone(const StepRecord& record) override
    {
        steps.push_back(record);
        if (record.step == stopAfter)
            stop.request_stop();
    }
    void evaluationDone(const EvaluationRecord& record) override { evaluations.push_back(record); }
};

double valueOf(const EvaluationRecord& record, std::string_view id)
{
    const Metric* metric = record.report.metric(id);
    return metric && metric->value ? *metric->value : std::nan("");
}

} // namespace

class TestPairSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        std::ofstream(m_root / "pairs.jsonl") << pairsText(120);
    }

    void learnsAndRecords()
    {
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto outcome = session->train(smallConfig(m_root / "pairs.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        // Before training near chance with the trivial loss, afterwards nearly always right.
        const auto &before = listener.evaluations.front(), &after = listener.evaluations.back();
        QVERIFY(std::abs(before.loss - std::log(2.0)) < 0.1);
        QVERIFY2(valueOf(after, "pair_accuracy") > 0.9, qPrintable(QString::number(valueOf(after, "loss"))));
        QVERIFY(after.report.metric("pair_accuracy")->low);
        QVERIFY(!std::isnan(valueOf(after, "baseline_accuracy_longest")));
        QVERIFY(!after.report.metric("auroc"));
        QCOMPARE(after.readOuts, static_cast<std::int64_t>(valueOf(after, "pairs")));
        QVERIFY2(after.verdictId == "learning",
                 (after.verdictSentence + " " + after.verdictEvidence).c_str());
        QVERIFY(listener.preflight.metric("baseline_accuracy_longest"));
        // The prompt that both answers share is computed once where it is long enough to be worth it.
        QVERIFY(listener.steps.front().computedTokens <= listener.steps.front().tokens);

        const auto reader = RunReader::open({m_root / "store"}).value();
        const auto summary = reader->run(outcome->run)->summary;
        QCOMPARE(summary.task, std::string("Pairs"));
        QVERIFY(summary.headline.has_value());
        QCOMPARE(summary.headline->id, std::string("pair_accuracy"));
        QVERIFY(summary.headline->baseline && *summary.headline->baseline >= 0.5);
        const auto page = reader->solutions({.evaluation = after.id}).value();
        QCOMPARE(page.matching, after.examples);
        const auto predictions = reader->predictions(after.id, page.rows.front().exampleId).value();
        QCOMPARE(predictions.size(), std::size_t{2});
        QCOMPARE(predictions[0].label, 1.0);
        QCOMPARE(predictions[1].label, 0.0);
        QCOMPARE(predictions[0].step, -1);
        const double gap = predictions[0].score - predictions[1].score;
        QVERIFY(std::abs(predictions[0].probability - 1.0 / (1.0 + std::exp(-gap))) < 1e-6);
        QVERIFY(std::abs(predictions[0].probability + predictions[1].probability - 1.0) < 1e-6);
        QCOMPARE(reader->example(page.rows.front().exampleId)->steps.size(), std::size_t{2});
        const auto view = session->tokenView(outcome->run, page.rows.front().exampleId);
        QVERIFY_RESULT(view);
        QCOMPARE(std::count_if(view->tokens.begin(), view->tokens.end(),
                               [](const TokenView::Token& token) { return token.readOut; }),
                 std::ptrdiff_t{2});
    }

    void resumesBitForBit()
    {
        Listener straight;
        const auto whole =
            Session::create({m_root / "a"})->train(smallConfig(m_root / "pairs.jsonl"), straight, {});
        QVERIFY_RESULT(whole);
        Listener first, second;
        first.stopAfter = 13;
        const auto session = Session::create({m_root / "b"});
        const auto stopped =
            session->train(smallConfig(m_root / "pairs.jsonl"), first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(stopped->status, RunStatus::Stopped);
        const auto resumed = session->resume(stopped->run, second, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(first.steps.size() + second.steps.size(), straight.steps.size());
        for (std::size_t i = 0; i < second.steps.size(); ++i)
            QCOMPARE(second.steps[i].loss, straight.steps[first.steps.size() + i].loss);
        QCOMPARE(second.evaluations.back().loss, straight.evaluations.back().loss);
    }

    void checkpointsEvaluateAndScoreTheSame()
    {
        Listener listener;
        const auto session = Session::create({m_root / "store"});
        const auto outcome = session->train(smallConfig(m_root / "pairs.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        const auto again = session->evaluate(outcome->run, 0, {}, listener, {});
        QVERIFY_RESULT(again);
        QCOMPARE(again->loss, listener.evaluations[listener.evaluations.size() - 2].loss);
        // The scorer reads each answer on its own; rewards are those of the evaluation.
        const auto reader = RunReader::open({m_root / "store"}).value();
        const auto page = reader->solutions({.evaluation = again->id}).value();
        const auto example = reader->example(page.rows.front().exampleId).value();
        const auto predictions = reader->predictions(again->id, example.id).value();
        const auto scorer = session->open(outcome->run, 0);
        QVERIFY_RESULT(scorer);
        const auto both = (*scorer)->score(example.prompt, example.steps);
        QVERIFY_RESULT(both);
        QCOMPARE(both->size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i)
            QVERIFY(std::abs((*both)[i].score - predictions[i].score) < 1e-4);
        const auto alone = (*scorer)->score(example.prompt, std::span(example.steps).subspan(1));
        QVERIFY_RESULT(alone);
        QCOMPARE(alone->size(), std::size_t{1});
        QVERIFY(std::abs(alone->front().score - (*both)[1].score) < 1e-5);
    }

    /// With margins the loss of equal rewards is no longer ln 2; the report says what it is.
    void marginsMoveTheTrivialLoss()
    {
        std::ofstream(m_root / "margins.jsonl") << pairsText(60, true);
        auto config = smallConfig(m_root / "margins.jsonl");
        config.schedule.maximumSteps = 1;
        config.objective.centring = 0.01;
        Listener listener;
        QVERIFY_RESULT(Session::create({m_root / "store"})->train(config, listener, {}));
        const auto& before = listener.evaluations.front();
        QVERIFY(valueOf(before, "trivial_loss") > 1.0);
        QVERIFY(std::abs(before.loss - valueOf(before, "trivial_loss")) < 0.1);
    }

    /// Exchanged at random, chosen and rejected teach nothing.
    void shuffledLabelsTeachNothing()
    {
        auto config = smallConfig(m_root / "pairs.jsonl");
        config.run.shuffleLabels = true;
        config.schedule.maximumSteps = 20;
        Listener listener;
        QVERIFY_RESULT(Session::create({m_root / "store"})->train(config, listener, {}));
        QVERIFY(valueOf(listener.evaluations.back(), "pair_accuracy") < 0.9);
    }

    void wrongCombinationsAreNamed_data()
    {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("word");
        QTest::newRow("a step head on pairs") << "pairwise"
                                              << "step-scalar"
                                              << "pair-scalar";
        QTest::newRow("a pair head on steps") << "stepwise"
                                              << "pair-scalar"
                                              << "step head";
        QTest::newRow("pairs in a step layout") << "stepwise"
                                                << "auto"
                                                << "pairwise";
    }
    void wrongCombinationsAreNamed()
    {
        QFETCH(QString, layout);
        QFETCH(QString, head);
        QFETCH(QString, word);
        auto config = smallConfig(m_root / "pairs.jsonl");
        config.layout.name = layout.toStdString();
        config.head.kind = head.toStdString();
        Listener listener;
        const auto outcome = Session::create({m_root / "store"})->train(config, listener, {});
        QVERIFY(!outcome.ok());
        QVERIFY2(outcome.error().text().find(word.toStdString()) != std::string::npos,
                 outcome.error().text().c_str());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

QTEST_APPLESS_MAIN(TestPairSession)
#include "tst_pair_session.moc"
