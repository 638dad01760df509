// Promises R1, R2 and R3: kill -9 at random moments, and nothing that could be read is lost; the resumed run
// computes the same bits as one that was never killed.
#include "core/base/random.h"
#include "core/config/json.h"
#include "core/data/demo_rows.h"
#include "core/run/session.h"
#include "core/train/checkpoint.h"
#include "tests/support/test_data.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>
#include <map>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr int kKills = 10;

/// What a reader could see at some moment: from then on it must stay.
struct Seen
{
    std::map<std::int64_t, double> losses;
    std::size_t evaluations = 0;
    std::vector<std::string> checkpoints;
};

Seen look(const RunReader& reader, const RunId& run)
{
    Seen seen;
    if (const auto steps = reader.steps(run, 0, 100000); steps.ok())
        for (const auto& step : *steps)
            seen.losses[step.step] = step.loss;
    if (const auto evaluations = reader.evaluations(run); evaluations.ok())
        seen.evaluations = evaluations->size();
    if (const auto checkpoints = reader.checkpoints(run); checkpoints.ok())
        for (const auto& checkpoint : *checkpoints)
            seen.checkpoints.push_back(checkpoint.path);
    return seen;
}

} // namespace

class TestKill : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void killedTenTimes()
    {
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        std::ofstream(root / "rows.jsonl") << demoRowsText();
        const auto experiment = root / "experiment.json";
        std::ofstream(experiment) << configToJson(experimentConfig(root / "rows.jsonl"));
        const StorePlace straightPlace{root / "straight"}, killedPlace{root / "killed"};

        QVERIFY(
            runToEnd(straightPlace, {QStringLiteral("train"), QString::fromStdString(experiment.string())}));
        const auto straightReader = RunReader::open(straightPlace).value();
        const auto straightRun = straightReader->findRun("last").value();
        const auto expected = look(*straightReader, straightRun);
        QCOMPARE(expected.losses.size(), std::size_t(m_steps));

        RandomStream random(static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch()), "kill");
        RunId run;
        int kills = 0;
        for (int round = 0; round < 4 * kKills; ++round) {
            const bool last = kills == kKills;
            QStringList arguments =
                run.empty()
                    ? QStringList{QStringLiteral("train"), QString::fromStdString(experiment.string())}
                    : QStringList{QStringLiteral("resume"), QString::fromStdString(run)};
            if (last) {
                QVERIFY(runToEnd(killedPlace, arguments));
                break;
            }
            QProcess process;
            start(process, killedPlace, arguments);
            const auto moment = static_cast<int>(random.between(400, 1300));
            Seen seen;
            QElapsedTimer timer;
            timer.start();
            while (timer.elapsed() < moment && process.state() == QProcess::Running) {
                process.waitForFinished(20);
                if (auto reader = RunReader::open(killedPlace); reader.ok()) {
                    if (run.empty())
                        if (const auto found = (*reader)->findRun("last"); found.ok())
                            run = *found;
                    if (!run.empty())
                        seen = look(**reader, run);
                }
            }
            const bool alive = process.state() == QProcess::Running;
            process.kill();
            process.waitForFinished();
            kills += alive ? 1 : 0;
            if (run.empty())
                continue;
            auto reader = RunReader::open(killedPlace);
            QVERIFY_RESULT(reader);
            QVERIFY_RESULT((*reader)->integrityCheck());
            const auto kept = look(**reader, run);
            for (const auto& [step, loss] : seen.losses)
                QVERIFY2(kept.losses.contains(step) && kept.losses.at(step) == loss,
                         "an acknowledged step is gone");
            QVERIFY(kept.evaluations >= seen.evaluations);
            for (const auto& path : kept.checkpoints)
                QVERIFY_RESULT(verifyCheckpoint(killedPlace.artefacts() / path));
            for (const auto& path : seen.checkpoints)
                QVERIFY(std::find(kept.checkpoints.begin(), kept.checkpoints.end(), path) !=
                        kept.checkpoints.end());
            if (!alive)
                break; // it had finished before the signal
        }
        // A machine fast enough to finish between two signals has still been killed often enough to prove it.
        qInfo("killed %d times", kills);
        QVERIFY(kills >= kKills / 2);
        const auto reader = RunReader::open(killedPlace).value();
        QCOMPARE(reader->run(run)->summary.status, RunStatus::Finished);
        const auto actual = look(*reader, run);
        QCOMPARE(actual.losses.size(), expected.losses.size());
        for (const auto& [step, loss] : expected.losses)
            QCOMPARE(actual.losses.at(step), loss); // bit for bit
        const auto lastOf = [](const RunReader& r, const RunId& id) {
            return r.evaluations(id)->back().loss;
        };
        QCOMPARE(lastOf(*reader, run), lastOf(*straightReader, straightRun));
    }

private:
    std::string demoRowsText() const
    {
        DemoOptions options;
        options.rows = 400;
        return demoJsonLines(demoRows(5, "kill", options));
    }

    ExperimentConfig experimentConfig(const fs::path& data) const
    {
        ExperimentConfig config;
        config.data.train = data.string();
        config.data.evaluationShare = 0.1;
        config.backbone.source = "scratch";
        config.backbone.width = 32;
        config.backbone.layers = 2;
        config.backbone.heads = 2;
        config.backbone.keyValueHeads = 1;
        config.backbone.mlpWidth = 48;
        config.head.dropout = 0.1;
        config.batch.examples = 4;
        config.batch.accumulation = 2;
        config.schedule.epochs = 100;
        config.schedule.maximumSteps = m_steps;
        config.evaluation.everySteps = 100;
        config.evaluation.bootstrapSamples = 20;
        config.checkpoint.everySteps = 15;
        config.compute.dtype = "float32";
        config.compute.threads = 1;
        return config;
    }

    void start(QProcess& process, const StorePlace& place, QStringList arguments) const
    {
        const QString program = qEnvironmentVariable("ASSAY_BIN_DIR", QStringLiteral("build/release/bin")) +
                                QStringLiteral("/assay");
        arguments =
            QStringList{QStringLiteral("--store"), QString::fromStdString(place.folder.string())} + arguments;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        process.waitForStarted();
    }

    bool runToEnd(const StorePlace& place, const QStringList& arguments) const
    {
        QProcess process;
        start(process, place, arguments);
        process.waitForFinished(240000);
        if (process.exitCode() != 0)
            qWarning("%s", process.readAll().constData());
        return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    }

    static constexpr std::int64_t m_steps = 1500;
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
