#include "core/base/random.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "tests/support/test_data.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QElapsedTimer>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>

#include <signal.h>
#include <sys/resource.h>

#include <cstdio>

using namespace assay;

namespace fs = std::filesystem;

namespace {

StepRecord stepRecord(std::int64_t step)
{
    StepRecord record;
    record.step = step;
    record.loss = 1.0 / static_cast<double>(step);
    record.tokens = step;
    return record;
}

/// Writes as a trainer does until it is killed, and says on standard output what has been acknowledged.
int writeChild(const char* folder)
{
    auto writer = RunWriter::open({folder});
    if (!writer.ok())
        return 1;
    NewRun run;
    run.name = "crash";
    const auto id = (*writer)->beginRun(run);
    if (!id.ok())
        return 1;
    std::printf("run %s\n", id->c_str());
    for (std::int64_t step = 1;; ++step) {
        if (!(*writer)->appendStep(*id, stepRecord(step)).ok())
            return 1;
        if (step % 97 == 0) {
            if (!(*writer)->flush().ok())
                return 1;
            std::printf("step %lld\n", static_cast<long long>(step));
        }
        if (step % 500 == 0) {
            CheckpointRecord checkpoint;
            checkpoint.step = step;
            checkpoint.path = "runs/crash/" + std::to_string(step);
            const auto key = (*writer)->addCheckpoint(*id, checkpoint);
            if (!key.ok())
                return 1;
            std::printf("checkpoint %lld\n", static_cast<long long>(step));
        }
        std::fflush(stdout);
    }
}

struct Acknowledged
{
    RunId run;
    std::int64_t step = 0, checkpoint = 0;
};

Acknowledged parse(const QByteArray& output)
{
    Acknowledged acknowledged;
    const auto complete = output.left(output.lastIndexOf('\n') + 1);
    for (const auto& line : complete.split('\n')) {
        const auto words = line.split(' ');
        if (words.size() != 2)
            continue;
        if (words[0] == "run")
            acknowledged.run = words[1].toStdString();
        if (words[0] == "step")
            acknowledged.step = words[1].toLongLong();
        if (words[0] == "checkpoint")
            acknowledged.checkpoint = words[1].toLongLong();
    }
    return acknowledged;
}

std::uintmax_t logBytes(const StorePlace& place)
{
    std::error_code error;
    const auto size = fs::file_size(place.database().string() + "-wal", error);
    return error ? 0 : size;
}

} // namespace

/// What is acknowledged survives: killed processes, full disks, readers that stay.
class TestStoreCrash : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void survivesKill();
    void survivesFullDisk();
    void boundsTheLog();
    void hasOneCheckpointer();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
};

void TestStoreCrash::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_place.folder = m_folder->path().toStdString();
}

void TestStoreCrash::survivesKill()
{
    // 40 rounds here; ASSAY_CRASH_ROUNDS asks for more.
    const int rounds = std::max(1, qEnvironmentVariable("ASSAY_CRASH_ROUNDS", "40").toInt());
    RandomStream random(static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch()), "kill");
    std::int64_t stepsSeen = 0, checkpointsSeen = 0;
    for (int round = 0; round < rounds; ++round) {
        QProcess process;
        process.start(QCoreApplication::applicationFilePath(),
                      {"--write-child", QString::fromStdString(m_place.folder.string())});
        QVERIFY(process.waitForReadyRead(30'000));
        QTest::qSleep(static_cast<int>(random.between(1, 120)));
        QCOMPARE(process.state(), QProcess::Running); // else it ended with an error of its own
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        const auto acknowledged = parse(process.readAllStandardOutput());
        QVERIFY(!acknowledged.run.empty());

        auto reader = RunReader::open(m_place);
        QVERIFY_RESULT(reader);
        const auto steps = (*reader)->steps(acknowledged.run, 0, 10'000'000);
        QVERIFY_RESULT(steps);
        QVERIFY2(static_cast<std::int64_t>(steps->size()) >= acknowledged.step,
                 qPrintable(QString("%1 of %2").arg(steps->size()).arg(acknowledged.step)));
        for (std::size_t i = 0; i < steps->size(); ++i) {
            const auto expected = stepRecord(static_cast<std::int64_t>(i) + 1);
            QCOMPARE(steps->at(i).step, expected.step);
            QCOMPARE(steps->at(i).loss, expected.loss);
            QCOMPARE(steps->at(i).tokens, expected.tokens);
        }
        const auto checkpoints = (*reader)->checkpoints(acknowledged.run);
        QVERIFY_RESULT(checkpoints);
        QVERIFY(acknowledged.checkpoint == 0 ||
                (!checkpoints->empty() && checkpoints->back().step >= acknowledged.checkpoint));
        QVERIFY_RESULT((*reader)->integrityCheck());
        stepsSeen += acknowledged.step;
        checkpointsSeen += static_cast<std::int64_t>(checkpoints->size());

        auto editor = RunEditor::open(m_place);
        QVERIFY_RESULT(editor);
        const auto swept = (*editor)->sweepInterrupted();
        QVERIFY_RESULT(swept);
        QVERIFY(*swept == std::vector<RunId>{acknowledged.run});
    }
    qInfo("%lld acknowledged steps and %lld checkpoints in %d rounds", static_cast<long long>(stepsSeen),
          static_cast<long long>(checkpointsSeen), rounds);
    QVERIFY(stepsSeen > 0 && checkpointsSeen > 0); // else nothing was tested
}

void TestStoreCrash::survivesFullDisk()
{
    auto writer = RunWriter::open(m_place);
    QVERIFY_RESULT(writer);
    NewRun run;
    run.name = "full";
    const auto id = (*writer)->beginRun(run);
    QVERIFY_RESULT(id);
    rlimit old{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit tight = old;
    tight.rlim_cur = logBytes(m_place) + 200'000;
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    std::int64_t step = 0;
    Status status;
    while (status.ok() && step < 100'000) {
        for (int i = 0; i < 100; ++i)
            if (auto appended = (*writer)->appendStep(*id, stepRecord(++step)); !appended.ok())
                status = appended;
        if (status.ok())
            status = (*writer)->flush();
    }
    // Training goes on: rows are taken, although they cannot be written yet.
    const auto more = (*writer)->appendStep(*id, stepRecord(++step));
    const auto checkpoint = (*writer)->addCheckpoint(*id, {});
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &old), 0);
    ::signal(SIGXFSZ, SIG_DFL);

    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::Io);
    QVERIFY_RESULT(more);
    QVERIFY(!checkpoint.ok());
    // There is room again: nothing is lost, nothing is there twice.
    QVERIFY_RESULT((*writer)->flush());
    auto reader = RunReader::open(m_place);
    QVERIFY_RESULT(reader);
    const auto steps = (*reader)->steps(*id, 0, 1'000'000);
    QVERIFY_RESULT(steps);
    QCOMPARE(static_cast<std::int64_t>(steps->size()), step);
    for (std::size_t i = 0; i < steps->size(); ++i)
        QCOMPARE(steps->at(i).step, static_cast<std::int64_t>(i) + 1);
    QVERIFY((*reader)->checkpoints(*id)->empty());
    QVERIFY_RESULT((*reader)->integrityCheck());
}

void TestStoreCrash::boundsTheLog()
{
    auto writer = RunWriter::open(m_place);
    QVERIFY_RESULT(writer);
    NewRun run;
    run.name = "log";
    const auto id = (*writer)->beginRun(run);
    QVERIFY_RESULT(id);
    auto reader = RunReader::open(m_place); // stays open all the time, as a window does
    QVERIFY_RESULT(reader);
    std::uintmax_t largest = 0, written = 0;
    std::int64_t step = 0;
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 2500 || written < (std::uintmax_t{8} << 20)) {
        for (int i = 0; i < 500; ++i)
            QVERIFY_RESULT((*writer)->appendStep(*id, stepRecord(++step)));
        QVERIFY_RESULT((*writer)->flush());
        QVERIFY_RESULT((*reader)->runs({}));
        QVERIFY_RESULT((*reader)->series(*id, "loss", 0, 0, 100));
        largest = std::max(largest, logBytes(m_place));
        written = fs::file_size(m_place.database());
    }
    qInfo("%lld steps, database %.1f MB, log at most %.1f MB", static_cast<long long>(step),
          static_cast<double>(written) / 1e6, static_cast<double>(largest) / 1e6);
    QVERIFY(largest < (std::uintmax_t{64} << 20));
    reader->reset();
    writer->reset();
    QCOMPARE(logBytes(m_place), std::uintmax_t{0}); // the last one tidies up
}

void TestStoreCrash::hasOneCheckpointer()
{
    CheckpointRole second(m_place.folder);
    {
        CheckpointRole first(m_place.folder);
        QVERIFY(first.tryTake());
        QVERIFY(!second.tryTake());
        QVERIFY(first.tryTake()); // still
    }
    QVERIFY(second.tryTake());
}

int main(int argc, char** argv)
{
    if (argc == 3 && std::string(argv[1]) == "--write-child")
        return writeChild(argv[2]);
    QCoreApplication application(argc, argv);
    TestStoreCrash test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_store_crash.moc"
