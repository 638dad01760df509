// Test T12: several processes write one store and move its log into the database again and again, some of
// them killed while they do. Whoever touches the database without the role to do so is ended on the spot
// (disk_shim.h).
#include "core/base/random.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "tests/support/disk_shim/disk_shim.h"
#include "tests/support/fast_folder.h"
#include "tests/support/test_data.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QElapsedTimer>
#include <QtCore/QProcess>

#include <signal.h>

#include <cstdio>
#include <map>

using namespace assay;

namespace {

constexpr int kWriters = 4, kOpenings = 60, kFlushes = 5, kSteps = 10;
constexpr int kVictims = 10;

/// Opens and closes the store many times, as programs do that come and go, and checkpoints whenever it may.
/// `forever`: until it is killed.
int writeChild(const char* folder, bool forever)
{
    disk_shim_watch(folder, nullptr);
    disk_shim_guard_role();
    RunId run;
    std::int64_t step = 0, refused = 0;
    for (int opening = 0; opening < kOpenings || forever; ++opening) {
        auto writer = RunWriter::open({folder});
        if (!writer.ok())
            return 1;
        if (run.empty())
            run = (*writer)->beginRun(NewRun{.name = "race"}).value();
        for (int flush = 0; flush < kFlushes; ++flush) {
            for (int i = 0; i < kSteps; ++i) {
                StepRecord record;
                record.step = ++step;
                record.loss = 1.0 / static_cast<double>(step);
                if (!(*writer)->appendStep(run, record).ok())
                    return 1;
            }
            if (const auto status = (*writer)->flush(); !status.ok()) {
                std::fprintf(stderr, "%s\n", status.error().text().c_str());
                return 1;
            }
            std::printf("step %s %lld\n", run.c_str(), static_cast<long long>(step));
            std::fflush(stdout);
            // A second connection, as the window's has one beside the trainer's.
            const auto moved = guarded([&] {
                Database database(StorePlace{folder}.database(), OpenMode::Write);
                CheckpointRole role(folder);
                role.maintain(database);
                refused += role.held() ? 0 : 1;
            });
            if (!moved.ok())
                return 1;
        }
    }
    std::printf("writes %lld\nrefused %lld\n", static_cast<long long>(disk_shim_database_writes()),
                static_cast<long long>(refused));
    return 0;
}

/// What the design forbids.
int checkpointWithoutRole(const char* folder)
{
    disk_shim_watch(folder, nullptr);
    disk_shim_guard_role();
    const auto done = guarded([&] {
        Database database(StorePlace{folder}.database(), OpenMode::Write);
        database.script("INSERT INTO drafts (name, config, changed_ms) VALUES ('x', '{}', 1)");
        database.checkpoint(false);
    });
    std::fprintf(stderr, "%s\n", done.ok() ? "nobody stopped it" : done.error().text().c_str());
    return 0;
}

/// "step RUN NUMBER" -> the last number of each run; other lines by their word.
std::map<std::string, std::int64_t> lastNumbers(const QByteArray& output)
{
    std::map<std::string, std::int64_t> numbers;
    const auto complete = output.left(output.lastIndexOf('\n') + 1);
    for (const auto& line : complete.split('\n')) {
        const auto words = line.split(' ');
        if (words.size() == 3 || words.size() == 2)
            numbers[words[words.size() - 2].toStdString()] = words.back().toLongLong();
    }
    return numbers;
}

} // namespace

class TestCheckpointRace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = tests::fastFolder();
        m_place.folder = m_folder->path().toStdString();
    }

    void keepsEveryRow()
    {
        RandomStream random(12, "race");
        std::vector<std::unique_ptr<QProcess>> writers;
        for (int i = 0; i < kWriters; ++i)
            writers.push_back(start("--write"));
        std::map<std::string, std::int64_t> acknowledged;
        for (int victims = 0; victims < kVictims; ++victims) {
            const auto victim = start("--write-forever");
            QVERIFY(victim->waitForReadyRead(60'000));
            QTest::qSleep(static_cast<int>(random.between(0, 150)));
            victim->kill();
            QVERIFY(victim->waitForFinished(60'000));
            acknowledged.merge(lastNumbers(victim->readAllStandardOutput()));
            const auto reader = RunReader::open(m_place); // and somebody looks on all the time
            QVERIFY_RESULT(reader);
            QVERIFY_RESULT((*reader)->integrityCheck());
        }
        std::int64_t refused = 0;
        int checkpointers = 0;
        std::vector<std::string> finished;
        for (const auto& writer : writers) {
            QVERIFY(writer->waitForFinished(120'000));
            QVERIFY2(writer->exitStatus() == QProcess::NormalExit && writer->exitCode() == 0,
                     writer->readAllStandardError().constData());
            auto numbers = lastNumbers(writer->readAllStandardOutput());
            refused += numbers.extract("refused").mapped();
            checkpointers += numbers.extract("writes").mapped() > 0 ? 1 : 0;
            QCOMPARE(numbers.size(), std::size_t{1});
            QCOMPARE(numbers.begin()->second, kOpenings * kFlushes * kSteps);
            finished.push_back(numbers.begin()->first);
            acknowledged.merge(numbers);
        }
        qInfo("%d of %d processes checkpointed, and were refused %lld times", checkpointers, kWriters,
              static_cast<long long>(refused));
        QVERIFY(checkpointers >= 2 && refused > 0); // else there was no race

        const auto reader = RunReader::open(m_place);
        QVERIFY_RESULT(reader);
        QVERIFY_RESULT((*reader)->integrityCheck());
        QCOMPARE(acknowledged.size(), std::size_t{kWriters + kVictims});
        for (const auto& [run, count] : acknowledged) {
            const auto steps = (*reader)->steps(run, 0, 1'000'000);
            QVERIFY_RESULT(steps);
            const bool exact = std::find(finished.begin(), finished.end(), run) != finished.end();
            QVERIFY(exact ? std::ssize(*steps) == count : std::ssize(*steps) >= count);
            for (std::size_t i = 0; i < steps->size(); ++i)
                QCOMPARE(steps->at(i).step, static_cast<std::int64_t>(i) + 1);
        }
        // Killed holders have not kept the role.
        CheckpointRole role(m_place.folder);
        QVERIFY(role.tryTake());
    }

    void secondCheckpointerIsStopped()
    {
        QVERIFY_RESULT(RunWriter::open(m_place));
        const auto process = start("--without-role");
        QVERIFY(process->waitForFinished(60'000));
        const auto errors = process->readAllStandardError();
        QVERIFY2(process->exitStatus() == QProcess::CrashExit, errors.constData());
        QVERIFY2(errors.contains("without the role to checkpoint"), errors.constData());
    }

private:
    std::unique_ptr<QProcess> start(const char* what) const
    {
        auto process = std::make_unique<QProcess>();
        process->start(QCoreApplication::applicationFilePath(),
                       {QString::fromLatin1(what), QString::fromStdString(m_place.folder.string())});
        process->waitForStarted();
        return process;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
};

int main(int argc, char** argv)
{
    const std::string what = argc == 3 ? argv[1] : "";
    if (what == "--write" || what == "--write-forever")
        return writeChild(argv[2], what == "--write-forever");
    if (what == "--without-role")
        return checkpointWithoutRole(argv[2]);
    QCoreApplication application(argc, argv);
    TestCheckpointRace test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_checkpoint_race.moc"
