// Which checkpoints a run keeps, when it ends early, and runs that start from another one's checkpoint.
#include "core/base/folder_lock.h"
#include "core/config/json.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/session.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <fstream>
#include <set>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;
using Steps = QList<int>;

namespace {

/// Stops improving at once: with a rate of zero no evaluation beats the first.
ExperimentConfig stalledConfig(const fs::path& data)
{
    auto config = smallConfig(data);
    config.optimiser.learningRate = 0.0;
    config.schedule.stopEarly = true;
    config.schedule.stopMetric = "loss";
    config.schedule.patience = 2;
    return config;
}

bool heard(const Listener& listener, const std::string& kind, const std::string& text)
{
    return std::any_of(listener.events.begin(), listener.events.end(), [&](const auto& event) {
        return event.kind == kind && event.text.find(text) != std::string::npos;
    });
}

} // namespace

class TestCheckpointPolicy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_place = StorePlace{m_root / "store"};
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
    }

    /// What is listed is on disk, and what is on disk is listed.
    void keepsWhatThePolicySays_data()
    {
        QTest::addColumn<int>("keepLast");
        QTest::addColumn<Steps>("kept");
        QTest::newRow("all") << 0 << Steps{2, 4, 6, 8, 10, 12};
        QTest::newRow("newest two") << 2 << Steps{10, 12};
        QTest::newRow("only the final one") << 1 << Steps{12};
    }
    void keepsWhatThePolicySays()
    {
        QFETCH(int, keepLast);
        QFETCH(Steps, kept);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.checkpoint.everySteps = 2;
        config.checkpoint.keepBest = false;
        config.checkpoint.keepLast = keepLast > 0 ? std::optional<std::int64_t>(keepLast) : std::nullopt;
        Listener listener;
        const auto outcome = Session::create(m_place)->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(listedSteps(outcome->run), kept);
        QCOMPARE(foldersOf(outcome->run), kept);
        QCOMPARE(heard(listener, "checkpoint", "deleted, of step 2"), keepLast > 0);
    }

    /// The learning rate is so high that the best evaluation comes before the last checkpoints.
    void keepsTheBest()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.checkpoint.everySteps = 0;
        config.checkpoint.saveBest = true;
        config.checkpoint.keepLast = 1;
        config.checkpoint.bestMetric = "loss";
        config.evaluation.everySteps = 1;
        config.optimiser.learningRate = 0.3;
        Listener listener;
        const auto outcome = Session::create(m_place)->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        std::int64_t best = 1;
        for (const auto& evaluation : listener.evaluations)
            if (evaluation.step > 0 &&
                evaluation.loss < listener.evaluations[static_cast<std::size_t>(best)].loss)
                best = evaluation.step;
        const bool anyBeatsStart =
            listener.evaluations[static_cast<std::size_t>(best)].loss < listener.evaluations[0].loss;
        QVERIFY(anyBeatsStart && best < 12); // else the test would show nothing
        QCOMPARE(listedSteps(outcome->run), (Steps{static_cast<int>(best), 12}));
        QCOMPARE(foldersOf(outcome->run), (Steps{static_cast<int>(best), 12}));
    }

    void neverDeletesWhatSomebodyReads()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.checkpoint.everySteps = 2;
        config.checkpoint.keepBest = false;
        config.checkpoint.keepLast = 1;
        struct Reader : Listener
        {
            fs::path artefacts;
            std::optional<FolderLock> lock;
            void checkpointSaved(const CheckpointRecord& record) override
            {
                if (record.step == 4)
                    lock = FolderLock::share(artefacts / record.path).value();
                if (record.step == 10)
                    lock.reset();
                if (record.step == 8)
                    QVERIFY(fs::exists(artefacts / fs::path(record.path).parent_path() / "step-4"));
            }
        };
        Reader reader;
        reader.artefacts = m_place.artefacts();
        const auto outcome = Session::create(m_place)->train(config, reader, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(listedSteps(outcome->run), Steps{12}); // deleted as soon as nobody read it
        QCOMPARE(foldersOf(outcome->run), Steps{12});
    }

    /// What a kill leaves: a folder whose row is gone, and half a deletion. The next attempt sweeps both.
    void sweepsWhatAKillLeft()
    {
        const auto config = smallConfig(m_root / "rows.jsonl");
        Listener first, second;
        first.stopAfter = 8;
        const auto session = Session::create(m_place);
        const auto stopped = session->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        const auto folder = m_place.artefacts() / "runs" / stopped->run / "checkpoints";
        fs::copy(folder / "step-8", folder / "step-7", fs::copy_options::recursive);
        fs::copy(folder / "step-8", folder / ".tmp-1-deleted-step-3", fs::copy_options::recursive);
        QVERIFY_RESULT(session->resume(stopped->run, second, {}));
        QCOMPARE(foldersOf(stopped->run), listedSteps(stopped->run));
        QVERIFY(!fs::exists(folder / ".tmp-1-deleted-step-3"));
    }

    void endsEarlyAndKeepsTheDecision()
    {
        const auto session = Session::create(m_place);
        Listener listener;
        const auto outcome = session->train(stalledConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->status, RunStatus::Finished);
        QCOMPARE(outcome->step, std::int64_t(8)); // evaluations at 0, 4 and 8: two without improvement
        QVERIFY(outcome->reason.find("has not improved") != std::string::npos);
        QVERIFY(heard(listener, "stopped-early", "Stopped early"));
        QVERIFY(listener.checkpoints.back().final);
        QVERIFY(outcome->verdict.kind != VerdictKind::TooEarly); // there will be no later one
        Listener again;
        const auto resumed = session->resume(outcome->run, again, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->status, RunStatus::Finished);
        QCOMPARE(resumed->step, std::int64_t(8));
        QVERIFY(again.steps.empty() && again.evaluations.empty());
        QCOMPARE(resumed->reason, outcome->reason);
    }

    /// Stopped by hand on the way, then resumed: patience goes on where it was, whatever was evaluated
    /// meanwhile.
    void patienceSurvivesAResume_data()
    {
        QTest::addColumn<int>("stopAfter");
        for (const int step : {1, 3, 4, 5, 6, 7})
            QTest::addRow("after step %d", step) << step;
    }
    void patienceSurvivesAResume()
    {
        QFETCH(int, stopAfter);
        const auto session = Session::create(m_place);
        Listener first, between, second;
        first.stopAfter = stopAfter;
        const auto stopped =
            session->train(stalledConfig(m_root / "rows.jsonl"), first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(stopped->status, RunStatus::Stopped);
        QVERIFY_RESULT(session->evaluate(stopped->run, 0, "", between, {}));
        const auto resumed = session->resume(stopped->run, second, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->step, std::int64_t(8));
        QCOMPARE(resumed->status, RunStatus::Finished);
    }

    void anImprovingRunGoesOn()
    {
        auto config = stalledConfig(m_root / "rows.jsonl");
        config.optimiser.learningRate = 1e-3;
        Listener listener;
        const auto outcome = Session::create(m_place)->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->step, std::int64_t(12));
        QVERIFY(outcome->reason.empty());
    }

    void startsFromACheckpoint_data()
    {
        QTest::addColumn<QString>("name"); // RUN stands for the run's id, FOLDER for the checkpoint's
        QTest::addColumn<int>("step");
        QTest::newRow("run") << "RUN" << 12;
        QTest::newRow("run and step") << "RUN:5" << 5;
        QTest::newRow("last") << "last" << 12;
        QTest::newRow("name with step") << "origin: one:10" << 10;
        QTest::newRow("name with a colon") << "origin: one" << 12;
        QTest::newRow("folder") << "FOLDER" << 5;
    }
    void startsFromACheckpoint()
    {
        QFETCH(QString, name);
        QFETCH(int, step);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.run.name = "origin: one";
        const auto session = Session::create(m_place);
        Listener first, second;
        const auto origin = session->train(config, first, {});
        QVERIFY_RESULT(origin);
        const auto folder = m_place.artefacts() / "runs" / origin->run / "checkpoints" / "step-5";
        name.replace("RUN", QString::fromStdString(origin->run));
        name.replace("FOLDER", QString::fromStdString(folder.string()));
        auto next = smallConfig(m_root / "rows.jsonl");
        next.backbone.source = "checkpoint";
        next.backbone.checkpoint = name.toStdString();
        const auto outcome = session->train(next, second, {});
        QVERIFY_RESULT(outcome);
        // The first evaluation is that of the checkpoint: backbone and head were taken over.
        const auto before = session->evaluate(origin->run, step, "", first, {});
        QVERIFY_RESULT(before);
        QVERIFY(std::abs(second.evaluations.front().loss - before->loss) < 1e-6);
        const auto reader = RunReader::open(m_place).value();
        QCOMPARE(reader->run(outcome->run)->summary.parent, origin->run);
        QVERIFY(heard(second, "origin", "the checkpoint of step " + std::to_string(step)));
        QVERIFY(!heard(second, "origin", "initialised"));
    }

    void anotherKindOfHeadStartsFresh()
    {
        const auto session = Session::create(m_place);
        Listener first, second;
        QVERIFY_RESULT(session->train(smallConfig(m_root / "rows.jsonl"), first, {}));
        auto next = smallConfig(m_root / "rows.jsonl");
        next.backbone.source = "checkpoint";
        next.backbone.checkpoint = "last";
        next.head.kind = "step-scalar";
        next.objective.name = "binary";
        QVERIFY_RESULT(session->train(next, second, {}));
        QVERIFY(heard(second, "origin", "score.weight unused"));
        QVERIFY(heard(second, "origin", "score.weight initialised"));
    }

    void anotherLayoutIsSaid()
    {
        const auto session = Session::create(m_place);
        Listener first, second;
        QVERIFY_RESULT(session->train(smallConfig(m_root / "rows.jsonl"), first, {}));
        auto next = smallConfig(m_root / "rows.jsonl");
        next.backbone.source = "checkpoint";
        next.backbone.checkpoint = "last";
        next.layout.stepSeparator = " ;";
        QVERIFY_RESULT(session->train(next, second, {}));
        QVERIFY(heard(second, "origin", "layout"));
    }

    void refusesToStartFrom_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("damage");
        QTest::addColumn<int>("code");
        QTest::newRow("nothing") << "" << false << int(ErrorCode::Usage);
        QTest::newRow("unknown run") << "nope" << false << int(ErrorCode::NotFound);
        QTest::newRow("unknown step") << "last:7" << false << int(ErrorCode::NotFound);
        QTest::newRow("damaged") << "last:5" << true << int(ErrorCode::BadModel);
    }
    void refusesToStartFrom()
    {
        QFETCH(QString, name);
        QFETCH(bool, damage);
        QFETCH(int, code);
        const auto session = Session::create(m_place);
        Listener listener;
        const auto origin = session->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(origin);
        if (damage)
            std::ofstream(m_place.artefacts() / "runs" / origin->run / "checkpoints" / "step-5" /
                              "model.safetensors",
                          std::ios::app)
                << "x";
        auto next = smallConfig(m_root / "rows.jsonl");
        next.backbone.source = "checkpoint";
        next.backbone.checkpoint = name.toStdString();
        const auto outcome = session->train(next, listener, {});
        QVERIFY(!outcome.ok());
        QCOMPARE(int(outcome.error().code), code);
        QVERIFY(!outcome.error().remedy.empty() || damage || name.isEmpty());
    }

    /// A step saved again after its first folder was damaged: the list never points at a missing folder.
    void aDamagedCheckpointIsReplaced()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.checkpoint.keepBest = false;
        const auto session = Session::create(m_place);
        Listener first, second;
        first.stopAfter = 11;
        const auto stopped = session->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        const auto folder = m_place.artefacts() / "runs" / stopped->run / "checkpoints";
        for (const char* name : {"step-10", "step-11"})
            std::ofstream(folder / name / "model.safetensors", std::ios::app) << "x";
        QVERIFY_RESULT(session->resume(stopped->run, second, {}));
        QCOMPARE(listedSteps(stopped->run), (Steps{10, 11, 12}));
        const auto reader = RunReader::open(m_place).value();
        const auto checkpoints = reader->checkpoints(stopped->run).value();
        for (const auto& checkpoint : checkpoints)
            QVERIFY(fs::exists(m_place.artefacts() / checkpoint.path / "manifest.json"));
        QVERIFY_RESULT(verifyCheckpoint(folder / "step-10-2"));
    }

private:
    Steps listedSteps(const RunId& run) const
    {
        Steps steps;
        const auto reader = RunReader::open(m_place).value();
        const auto checkpoints = reader->checkpoints(run).value();
        for (const auto& checkpoint : checkpoints)
            steps.append(static_cast<int>(checkpoint.step));
        std::sort(steps.begin(), steps.end());
        return steps;
    }

    Steps foldersOf(const RunId& run) const
    {
        Steps steps;
        for (const auto& entry : fs::directory_iterator(m_place.artefacts() / "runs" / run / "checkpoints"))
            steps.append(std::stoi(entry.path().filename().string().substr(5)));
        std::sort(steps.begin(), steps.end());
        return steps;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    StorePlace m_place;
};

QTEST_GUILESS_MAIN(TestCheckpointPolicy)
#include "tst_checkpoint_policy.moc"
