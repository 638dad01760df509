// Test T20: stores of every released schema open, after a backup that opens as well; stores that must not or
// cannot be opened are refused with a reason and stay as they are.
#include "core/base/durable_file.h"
#include "core/store/migrations.h"
#include "tests/support/old_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

std::int64_t newestSchema()
{
    return static_cast<std::int64_t>(embeddedSchema().size());
}

/// Opens the store in this process and says what became of it.
int openChild(const std::string& how, const char* folder)
{
    const auto say = [](const auto& opened) {
        std::printf("%s\n", opened.ok() ? "opened" : opened.error().text().c_str());
        return 0;
    };
    if (how == "medium") {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount(folder, folder, nullptr, MS_BIND, nullptr) != 0 ||
            ::mount(nullptr, folder, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
            return 2;
        say(RunReader::open({folder}));
        return say(RunWriter::open({folder}));
    }
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)
        return 2;
    if (how == "read")
        return say(RunReader::open({folder}));
    return say(RunWriter::open({folder}));
}

void permit(const fs::path& folder, mode_t folders, mode_t files)
{
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        ::chmod(entry.path().c_str(), entry.is_directory() ? folders : files);
    ::chmod(folder.c_str(), folders);
}

} // namespace

class TestOldStores : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        ::chmod(m_folder->path().toLocal8Bit().constData(), 0755); // others must reach what is inside
        m_place.folder = fs::path(m_folder->path().toStdString()) / "store";
    }

    void everySchemaHasItsStore()
    {
        for (std::int64_t schema = 1; schema <= newestSchema(); ++schema)
            QVERIFY2(fs::exists(tests::oldStoreFile(schema)),
                     "keep a store that this schema's program wrote");
    }

    void opens_data()
    {
        QTest::addColumn<int>("schema");
        QTest::addColumn<bool>("writing");
        QTest::addColumn<QString>("run");
        QTest::addColumn<double>("loss"); // of its only step
        QTest::addColumn<int>("otherEvaluations");
        QTest::addColumn<int>("predictions"); // of its last evaluation
        for (const bool writing : {false, true}) {
            const char* how = writing ? "for writing" : "for reading";
            QTest::addRow("schema 1, %s", how)
                << 1 << writing << "c586edd94c9e" << 0.6942523717880249 << 0 << 2;
            QTest::addRow("schema 2, %s", how)
                << 2 << writing << "8cb51c90b3cd" << 0.7213320732116699 << 1 << 4;
            QTest::addRow("schema 3, %s", how)
                << 3 << writing << "0c2702a3bd5c" << 0.6897008559283089 << 1 << 6;
        }
    }

    void opens()
    {
        QFETCH(int, schema);
        QFETCH(bool, writing);
        QVERIFY_RESULT(tests::writeOldStore(m_place, schema));
        if (writing) {
            const auto writer = RunWriter::open(m_place);
            QVERIFY_RESULT(writer);
            QVERIFY_RESULT((*writer)->beginRun(NewRun{.name = "beside it"}));
        }
        checkContent(m_place, writing ? 2 : 1);
        QCOMPARE(Database(m_place.database(), OpenMode::Read).integer("PRAGMA user_version"), newestSchema());

        const fs::path backups = m_place.folder / "backups";
        if (schema == newestSchema()) {
            QVERIFY(!fs::exists(backups));
            return;
        }
        const auto names = namesIn(backups);
        QVERIFY_RESULT(names);
        QCOMPARE(names->size(), std::size_t{1});
        const StorePlace restored{m_place.folder.parent_path() / "restored"};
        QVERIFY_RESULT(createDirectories(restored.folder));
        fs::copy_file(backups / *names->begin(), restored.database());
        QCOMPARE(Database(restored.database(), OpenMode::Read).integer("PRAGMA user_version"), schema);
        checkContent(restored, 1);
    }

    void anotherUsers_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<int>("schema");
        QTest::addColumn<int>("folders");
        QTest::addColumn<int>("files");
        QTest::addColumn<QString>("says");
        const int newest = static_cast<int>(newestSchema());
        QTest::newRow("closed, read") << "read" << newest << 0700 << 0600 << "Permission denied";
        QTest::newRow("closed, write") << "write" << newest << 0700 << 0600 << "Permission denied";
        QTest::newRow("may look, read") << "read" << newest << 0755 << 0644 << "opened";
        QTest::newRow("may look, write") << "write" << newest << 0755 << 0644 << "Permission denied";
        QTest::newRow("may look, old, read")
            << "read" << 1 << 0755 << 0644 << "cannot be brought up to date here";
        QTest::newRow("closed file, read") << "read" << newest << 0755 << 0600 << "cannot be opened";
    }

    void anotherUsers()
    {
        if (::geteuid() != 0)
            QSKIP("skipped: only root can become another user");
        QFETCH(QString, how);
        QFETCH(int, schema);
        QFETCH(int, folders);
        QFETCH(int, files);
        QFETCH(QString, says);
        QVERIFY_RESULT(tests::writeOldStore(m_place, schema));
        removeLog();
        permit(m_place.folder, static_cast<mode_t>(folders), static_cast<mode_t>(files));
        const auto before = content();
        const auto said = inChild(how);
        QVERIFY2(said.contains(says.toUtf8()), said.constData());
        QVERIFY(content() == before);
    }

    void readOnlyMedium()
    {
        if (::geteuid() != 0)
            QSKIP("skipped: only root can mount");
        QVERIFY_RESULT(tests::writeOldStore(m_place, newestSchema()));
        removeLog();
        const auto before = content();
        const auto said = inChild(QStringLiteral("medium"));
        if (said.isEmpty())
            QSKIP("skipped: nothing can be mounted here");
        QVERIFY2(said.startsWith("opened\n") && said.contains("Read-only file system"), said.constData());
        QVERIFY(content() == before);
    }

    void rootLeavesItUsable()
    {
        if (::geteuid() != 0)
            QSKIP("skipped: only root can become another user");
        QVERIFY_RESULT(createDirectories(m_place.folder));
        QCOMPARE(::chown(m_place.folder.c_str(), kNobody, kNobody), 0);
        QCOMPARE(inChild(QStringLiteral("write")), QByteArray("opened\n"));
        {
            const auto writer = RunWriter::open(m_place);
            QVERIFY_RESULT(writer);
            QVERIFY_RESULT((*writer)->beginRun(NewRun{}));
        }
        QCOMPARE(inChild(QStringLiteral("write")), QByteArray("opened\n"));
    }

private:
    void checkContent(const StorePlace& place, std::int64_t runs)
    {
        QFETCH(QString, run);
        QFETCH(double, loss);
        QFETCH(int, otherEvaluations);
        QFETCH(int, predictions);
        const auto reader = RunReader::open(place);
        QVERIFY_RESULT(reader);
        QVERIFY_RESULT((*reader)->integrityCheck());
        QCOMPARE((*reader)->runs({})->total, runs);
        const auto id = run.toStdString();
        const auto details = (*reader)->run(id);
        QVERIFY_RESULT(details);
        QVERIFY(details->summary.status == RunStatus::Finished && details->summary.headline.has_value());
        const auto steps = (*reader)->steps(id, 0, 10);
        QVERIFY_RESULT(steps);
        QCOMPARE(steps->size(), std::size_t{1});
        QCOMPARE(steps->front().loss, loss);
        const auto evaluations = (*reader)->evaluations(id);
        QVERIFY_RESULT(evaluations);
        QCOMPARE(evaluations->size(), std::size_t{2});
        QVERIFY(evaluations->back().report.metric("auroc")->value.has_value());
        QCOMPARE((*reader)->evaluationsOnOtherData(id)->size(), static_cast<std::size_t>(otherEvaluations));
        QCOMPARE((*reader)->checkpoints(id)->size(), std::size_t{1});
        QVERIFY((*reader)->events(id, 100)->size() >= 10);
        SolutionQuery query;
        query.evaluation = evaluations->back().id;
        const auto solutions = (*reader)->solutions(query);
        QVERIFY_RESULT(solutions);
        std::size_t stored = 0;
        for (const auto& solution : solutions->rows)
            stored += (*reader)->predictions(query.evaluation, solution.exampleId)->size();
        QCOMPARE(stored, static_cast<std::size_t>(predictions));
        QVERIFY(!(*reader)->example(solutions->rows.front().exampleId)->prompt.empty());
    }

    /// Nobody has the store open: what its connections shared is gone.
    void removeLog() const
    {
        for (const char* suffix : {"-wal", "-shm"})
            fs::remove(m_place.database().string() + suffix);
    }

    /// Every file of the store, with what is in it.
    std::map<std::string, std::string> content() const
    {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(m_place.folder))
            files[entry.path().string()] = entry.is_regular_file() ? *readFile(entry.path()) : "";
        return files;
    }

    QByteArray inChild(const QString& how) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QCoreApplication::applicationFilePath(),
                      {"--open-child", how, QString::fromStdString(m_place.folder.string())});
        if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
            return "crashed\n";
        return process.exitCode() == 0 ? process.readAllStandardOutput() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
};

int main(int argc, char** argv)
{
    if (argc == 4 && std::string(argv[1]) == "--open-child")
        return openChild(argv[2], argv[3]);
    QCoreApplication application(argc, argv);
    TestOldStores test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_old_stores.moc"
