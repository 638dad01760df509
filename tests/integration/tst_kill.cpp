// Promises R1, R2 and R3: kill -9 at 50 random moments, and nothing that could be read is lost; the resumed
// run computes the same bits as one that was never killed.
#include "core/base/durable_file.h"
#include "core/base/random.h"
#include "core/config/json.h"
#include "core/data/demo_rows.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"
#include "core/train/checkpoint.h"
#include "tests/support/program.h"
#include "tests/support/small_pairs.h"
#include "tests/support/test_data.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QTemporaryDir>

#include <fstream>
#include <map>
#include <set>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kKeepLast = 2;

/// Rows by attempt and step: a later attempt hides rows of an earlier one from readers, it never removes
/// them.
using Losses = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// What a reader could see at some moment: from then on it must stay.
struct Seen
{
    Losses losses;
    std::map<std::int64_t, EvaluationRecord> evaluations; ///< by id
    std::vector<CheckpointRecord> checkpoints;
};

Seen look(const RunReader& reader, const RunId& run)
{
    Seen seen;
    if (const auto steps = reader.steps(run, 0, 100'000); steps.ok())
        for (const auto& step : *steps)
            seen.losses[{step.attempt, step.step}] = step.loss;
    if (const auto evaluations = reader.evaluations(run); evaluations.ok())
        for (const auto& evaluation : *evaluations)
            seen.evaluations[evaluation.id] = evaluation;
    if (const auto checkpoints = reader.checkpoints(run); checkpoints.ok())
        seen.checkpoints = *checkpoints;
    return seen;
}

/// Where each attempt began, oldest first: readers no longer see what an older one computed after that step.
std::vector<std::int64_t> beginnings(const StorePlace& place, const RunId& run)
{
    Database database(place.database(), OpenMode::Read);
    std::vector<std::int64_t> steps;
    auto attempts = database.prepare("SELECT from_step FROM attempts WHERE run = "
                                     "(SELECT number FROM runs WHERE id = ?) ORDER BY attempt");
    for (attempts.bind(run); attempts.step();)
        steps.push_back(attempts.integer(0));
    return steps;
}

/// Whether a step or evaluation of an attempt was computed again, or is about to be.
bool isHidden(const std::vector<std::int64_t>& begun, std::int64_t attempt, std::int64_t step)
{
    return std::any_of(begun.begin() + std::min<std::ptrdiff_t>(attempt, std::ssize(begun)), begun.end(),
                       [step](std::int64_t from) { return from < step; });
}

/// None while the folder is not there.
std::set<std::string> presentIn(const fs::path& folder)
{
    const auto names = namesIn(folder);
    return names.ok() ? *names : std::set<std::string>();
}

bool isTemporary(const std::string& name)
{
    return name.starts_with('.');
}

/// The program, training or resuming until somebody kills it.
class Victim
{
public:
    Victim(const StorePlace& place, const QStringList& words)
    {
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(
            tests::programPath(),
            QStringList{QStringLiteral("--store"), QString::fromStdString(place.folder.string())} + words);
        m_process.waitForStarted();
    }
    /// Waits for a few milliseconds; false when it has ended.
    bool runs(int milliseconds = 3)
    {
        m_process.waitForFinished(milliseconds);
        return m_process.state() == QProcess::Running;
    }
    /// Whether the signal was what ended it.
    bool kill()
    {
        m_process.kill();
        m_process.waitForFinished();
        return m_process.exitStatus() == QProcess::CrashExit;
    }
    QByteArray output() { return m_process.readAll(); }

private:
    QProcess m_process;
};

} // namespace

class TestKill : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_seed = qEnvironmentVariable("ASSAY_KILL_SEED", "1").toULongLong();
        qInfo("seed %llu (ASSAY_KILL_SEED sets another)", static_cast<unsigned long long>(m_seed));
    }

    void killed_data()
    {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("execution");
        QTest::addColumn<int>("kills"); // 50 in all
        QTest::newRow("steps, merged") << "stepwise"
                                       << "merged" << 18;
        QTest::newRow("pairs, merged") << "pairwise"
                                       << "merged" << 18;
        QTest::newRow("steps, padded") << "stepwise"
                                       << "padded" << 7;
        QTest::newRow("pairs, packed") << "pairwise"
                                       << "packed" << 7;
    }

    void killed()
    {
        QFETCH(QString, layout);
        QFETCH(QString, execution);
        QFETCH(int, kills);
        m_folder = std::make_unique<QTemporaryDir>();
        const fs::path root = m_folder->path().toStdString();
        m_experiment = root / "experiment.json";
        std::ofstream(root / "rows.jsonl") << (layout == "pairwise" ? tests::pairsText(300) : stepRows());
        std::ofstream(m_experiment) << configToJson(experiment(root / "rows.jsonl", layout, execution));
        m_straight = {root / "straight"};
        m_place = {root / "killed"};
        RandomStream random(m_seed, QTest::currentDataTag());

        QVERIFY(end(m_straight, {}));
        m_run.clear();
        m_orphans.clear();
        m_savesHit = m_trainingHit = 0;
        int hit = 0, late = 0;
        while (hit < kills) {
            QVERIFY2(late <= kills, "the program ends too soon to be killed often enough");
            if (killOnce(random)) {
                ++hit;
                continue;
            }
            if (QTest::currentTestFailed())
                return;
            ++late; // it had finished before the signal: that run is as good as any, and another one begins
            compareWithStraight();
            m_run.clear();
        }
        QVERIFY(end(m_place, m_run));
        compareWithStraight();
        qInfo("killed %d times, %d of them in training, %d while saving; %d more came too late", hit,
              m_trainingHit, m_savesHit, late);
        QVERIFY(m_trainingHit > 0);
    }

private:
    /// Starts the program, kills it at a random moment and looks at what it left; false when it had ended.
    bool killOnce(RandomStream& random)
    {
        // A third anywhere from the start on, a third while it trains, a third at a save.
        const auto kind = random.below(3);
        const auto moment = random.between(0, kind == 0 ? 700 : kind == 1 ? 250 : 4);
        const std::int64_t before = attempts();
        Victim victim(m_place, words(m_run));
        std::unique_ptr<RunReader> reader;
        Seen seen;
        bool training = false, saving = false;
        QElapsedTimer started, cued;
        started.start();
        while (victim.runs()) {
            if (!reader)
                if (auto opened = RunReader::open(m_place); opened.ok())
                    reader = std::move(*opened);
            if (reader && m_run.empty())
                if (const auto found = reader->findRun("last"); found.ok() && !m_done.contains(*found))
                    m_run = *found;
            if (reader && !m_run.empty())
                seen = look(*reader, m_run);
            training = training || (!seen.losses.empty() && seen.losses.rbegin()->first.first > before);
            while (kind == 2 && training && !saving && victim.runs(0))
                saving = isSaving();
            if (!cued.isValid() && (kind == 1 ? training : saving))
                cued.start();
            if ((kind == 0 && started.elapsed() >= moment) || (cued.isValid() && cued.elapsed() >= moment))
                break;
        }
        const bool hit = victim.kill();
        if (!hit)
            m_lastWords = victim.output();
        m_trainingHit += hit && training ? 1 : 0;
        if (!m_run.empty())
            check(seen, training);
        return hit;
    }

    void check(const Seen& seen, bool swept)
    {
        const auto reader = RunReader::open(m_place);
        QVERIFY_RESULT(reader);
        QVERIFY_RESULT((*reader)->integrityCheck());
        const auto stored = look(**reader, m_run);
        const auto begun = beginnings(m_place, m_run);
        for (const auto& [row, loss] : seen.losses)
            QVERIFY2(stored.losses.contains(row) ? stored.losses.at(row) == loss
                                                 : isHidden(begun, row.first, row.second),
                     "an acknowledged step is gone");
        for (const auto& [id, evaluation] : seen.evaluations)
            QVERIFY2(stored.evaluations.contains(id) || isHidden(begun, evaluation.attempt, evaluation.step),
                     "an acknowledged evaluation is gone");
        const auto listed = (*reader)->checkpoints(m_run);
        QVERIFY_RESULT(listed);
        std::set<std::string> names;
        for (const auto& checkpoint : *listed) {
            const auto name = fs::path(checkpoint.path).filename().string();
            QVERIFY2(!isTemporary(name), "a temporary folder is listed");
            QVERIFY_RESULT(verifyCheckpoint(m_place.artefacts() / checkpoint.path));
            names.insert(name);
        }
        for (const auto& checkpoint : seen.checkpoints) {
            const bool kept = names.contains(fs::path(checkpoint.path).filename().string());
            const auto newer = std::count_if(listed->begin(), listed->end(),
                                             [&](const auto& other) { return other.step > checkpoint.step; });
            QVERIFY2(kept || newer >= kKeepLast, "an acknowledged checkpoint is gone");
        }
        // What the kill before this one had left was swept when the run went on.
        const auto present = presentIn(checkpoints());
        for (const auto& orphan : m_orphans)
            QVERIFY2(!swept || !present.contains(orphan), "an interrupted save was not swept");
        m_orphans.clear();
        std::copy_if(present.begin(), present.end(), std::inserter(m_orphans, m_orphans.end()), isTemporary);
        m_savesHit += present.size() > names.size() ? 1 : 0;
    }

    /// The run has ended: its rows, its last evaluation and its weights are those of the one nobody killed.
    void compareWithStraight()
    {
        QVERIFY2(!m_run.empty(), m_lastWords.constData());
        const auto straight = RunReader::open(m_straight).value();
        const auto killed = RunReader::open(m_place).value();
        const auto expectedRun = straight->findRun("last").value();
        const auto status = killed->run(m_run)->summary.status;
        QVERIFY2(status == RunStatus::Finished, m_lastWords.constData());
        const auto expected = straight->steps(expectedRun, 0, 100'000).value();
        const auto actual = killed->steps(m_run, 0, 100'000).value();
        QCOMPARE(expected.size(), std::size_t(m_steps));
        QCOMPARE(actual.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(actual[i].step, expected[i].step);
            QCOMPARE(actual[i].loss, expected[i].loss); // bit for bit
        }
        const auto expectedEvaluations = straight->evaluations(expectedRun).value();
        const auto evaluations = killed->evaluations(m_run).value();
        QCOMPARE(evaluations.size(), expectedEvaluations.size());
        for (std::size_t i = 0; i < evaluations.size(); ++i)
            QCOMPARE(evaluations[i].loss, expectedEvaluations[i].loss);
        const auto listed = killed->checkpoints(m_run).value();
        const auto expectedLast = straight->checkpoints(expectedRun)->back();
        QVERIFY(listed.back().final && expectedLast.final);
        for (const char* file : {"model.safetensors", "optimiser.safetensors"})
            QVERIFY2(*readFile(m_place.artefacts() / listed.back().path / file) ==
                         *readFile(m_straight.artefacts() / expectedLast.path / file),
                     file);
        std::set<std::string> names;
        for (const auto& checkpoint : listed)
            names.insert(fs::path(checkpoint.path).filename().string());
        for (const auto& name : presentIn(checkpoints()))
            QVERIFY2(names.contains(name), ("left behind: " + name).c_str());
        m_done.insert(m_run);
        m_orphans.clear();
    }

    QStringList words(const RunId& run) const
    {
        return run.empty()
                   ? QStringList{QStringLiteral("train"), QString::fromStdString(m_experiment.string())}
                   : QStringList{QStringLiteral("resume"), QString::fromStdString(run)};
    }

    bool end(const StorePlace& place, const RunId& run)
    {
        const auto result = tests::runAssay(
            QStringList{QStringLiteral("--store"), QString::fromStdString(place.folder.string())} +
            words(run));
        m_lastWords = result.output + result.errors;
        if (result.exitCode != 0)
            qWarning("%s", m_lastWords.constData());
        if (run.empty() && result.exitCode == 0 && place.folder == m_place.folder)
            m_run = RunReader::open(place).value()->findRun("last").value();
        return result.exitCode == 0;
    }

    /// Of the run so far; 0 = there is no run yet.
    std::int64_t attempts() const
    {
        if (m_run.empty())
            return 0;
        return std::ssize(beginnings(m_place, m_run));
    }

    fs::path checkpoints() const { return m_place.artefacts() / "runs" / m_run / "checkpoints"; }

    bool isSaving() const
    {
        const auto names = presentIn(checkpoints());
        return std::any_of(names.begin(), names.end(), isTemporary);
    }

    static std::string stepRows()
    {
        DemoOptions options;
        options.rows = 400;
        return demoJsonLines(demoRows(5, "kill", options));
    }

    static ExperimentConfig experiment(const fs::path& data, const QString& layout, const QString& execution)
    {
        ExperimentConfig config;
        config.data.train = data.string();
        config.data.evaluationShare = 0.1;
        config.layout.name = layout.toStdString();
        config.backbone.source = "scratch";
        config.backbone.width = 16;
        config.backbone.layers = 2;
        config.backbone.heads = 2;
        config.backbone.keyValueHeads = 1;
        config.backbone.mlpWidth = 24;
        config.head.dropout = 0.1;
        config.batch.examples = 4;
        config.batch.accumulation = 2;
        config.batch.execution = execution.toStdString();
        config.schedule.epochs = 100;
        config.schedule.maximumSteps = m_steps;
        config.evaluation.everySteps = 60;
        config.evaluation.bootstrapSamples = 20;
        config.checkpoint.everySteps = 15;
        config.checkpoint.keepLast = kKeepLast;
        config.compute.dtype = "float32";
        config.compute.threads = 1;
        return config;
    }

    static constexpr std::int64_t m_steps = 450;
    quint64 m_seed = 1;
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_experiment;
    StorePlace m_straight, m_place;
    RunId m_run;            ///< the one that is being killed; empty = not seen yet
    std::set<RunId> m_done; ///< ended and compared
    std::set<std::string> m_orphans;
    int m_savesHit = 0, m_trainingHit = 0;
    QByteArray m_lastWords;
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
