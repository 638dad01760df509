#include "core/base/durable_file.h"
#include "core/store/migrations.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <vector>

using namespace assay;

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLater = 900;

/// The program's schema, and one that a later program may have.
std::vector<EmbeddedFile> laterSchema()
{
    const auto known = embeddedSchema();
    std::vector<EmbeddedFile> schema(known.begin(), known.end());
    schema.push_back({"900_later.sql",
                      "ALTER TABLE runs ADD COLUMN later TEXT NOT NULL DEFAULT 'x';"
                      "CREATE TABLE migrated (at INTEGER); INSERT INTO migrated VALUES (1);"});
    return schema;
}

std::int64_t newestKnown()
{
    return static_cast<std::int64_t>(embeddedSchema().size());
}

int migrateChild(const char* folder)
{
    const auto opened = guarded([&] { openForWriting({folder}, laterSchema()); });
    if (!opened.ok())
        std::puts(opened.error().text().c_str());
    return opened.ok() ? 0 : 1;
}

/// Reads as somebody who cannot write here; root could write anyway.
int readChild(const char* folder)
{
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
        return 2;
    auto reader = RunReader::open({folder});
    if (!reader.ok()) {
        std::puts(reader.error().text().c_str());
        return 1;
    }
    const auto page = (*reader)->runs({});
    if (!page.ok()) {
        std::puts(page.error().text().c_str());
        return 1;
    }
    std::printf("%lld runs\n", static_cast<long long>(page->matching));
    return 0;
}

std::size_t filesIn(const fs::path& folder)
{
    std::error_code error;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder, error), fs::directory_iterator()));
}

} // namespace

/// Opening stores of every kind: new, older, newer, foreign, damaged, read-only, and by many processes at
/// once.
class TestMigrations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void createsNewStore();
    void migratesOlderStore();
    void readerMigratesToo();
    void failedMigrationLeavesStore();
    void migratesOnceForEight();
    void refuses_data();
    void refuses();
    void readsWithoutWriting_data();
    void readsWithoutWriting();
    void missingStoreIsNotFound();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
};

void TestMigrations::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_place.folder = fs::path(m_folder->path().toStdString()) / "deep" / "store";
}

void TestMigrations::createsNewStore()
{
    const auto database = openForWriting(m_place);
    QCOMPARE(database->integer("PRAGMA application_id"), 0x41535359);
    QCOMPARE(database->integer("PRAGMA user_version"), newestKnown());
    QCOMPARE(database->text("PRAGMA journal_mode"), std::string("wal"));
    QCOMPARE(database->integer("PRAGMA synchronous"), 2);
    QCOMPARE(database->integer("PRAGMA foreign_keys"), 1);
    QCOMPARE(database->integer("PRAGMA trusted_schema"), 0);
    QCOMPARE(database->integer("PRAGMA cell_size_check"), 1);
    QCOMPARE(database->integer("PRAGMA mmap_size"), 0);
    QCOMPARE(database->integer("PRAGMA wal_autocheckpoint"), 0);
    QVERIFY(!fs::exists(m_place.folder / "backups"));
}

void TestMigrations::migratesOlderStore()
{
    QVERIFY_RESULT(tests::fillSampleStore(m_place.folder));
    {
        const auto database = openForWriting(m_place, laterSchema());
        QCOMPARE(database->integer("PRAGMA user_version"), kLater);
        QCOMPARE(database->integer("SELECT count(*) FROM runs WHERE later = 'x'"), 13);
    }
    QCOMPARE(filesIn(m_place.folder / "backups"), std::size_t{1});
    const fs::path backup = fs::directory_iterator(m_place.folder / "backups")->path();
    QCOMPARE(static_cast<unsigned>(fs::status(backup).permissions()), 0600U);
    Database old(backup, OpenMode::Immutable);
    QCOMPARE(old.integer("PRAGMA user_version"), newestKnown());
    QCOMPARE(old.integer("PRAGMA application_id"), 0x41535359);
    QCOMPARE(old.integer("SELECT count(*) FROM runs"), 13);
    QCOMPARE(old.text("PRAGMA integrity_check"), std::string("ok"));
    // A second time there is nothing to do.
    openForWriting(m_place, laterSchema());
    QCOMPARE(filesIn(m_place.folder / "backups"), std::size_t{1});
}

void TestMigrations::readerMigratesToo()
{
    openForWriting(m_place);
    auto connection = openForReading(m_place, laterSchema());
    QCOMPARE(connection.database->integer("SELECT count(*) FROM migrated"), 1);
    QVERIFY(connection.temporaryFolder.empty());
}

void TestMigrations::failedMigrationLeavesStore()
{
    openForWriting(m_place);
    auto schema = laterSchema();
    schema.back().content = "CREATE TABLE half (x); CREATE TABLE runs (x);"; // the second exists
    const auto opened = guarded([&] { openForWriting(m_place, schema); });
    QVERIFY(!opened.ok());
    const auto database = openForWriting(m_place);
    QCOMPARE(database->integer("PRAGMA user_version"), newestKnown());
    QCOMPARE(database->integer("SELECT count(*) FROM sqlite_master WHERE name = 'half'"), 0);
}

void TestMigrations::migratesOnceForEight()
{
    QVERIFY_RESULT(tests::fillSampleStore(m_place.folder));
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < 8; ++i) {
        processes.push_back(std::make_unique<QProcess>());
        processes.back()->start(QCoreApplication::applicationFilePath(),
                                {"--migrate-child", QString::fromStdString(m_place.folder.string())});
    }
    for (auto& process : processes) {
        QVERIFY(process->waitForFinished(60'000));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardOutput().constData());
    }
    const auto database = openForWriting(m_place, laterSchema());
    QCOMPARE(database->integer("SELECT count(*) FROM migrated"), 1);
    QCOMPARE(database->text("PRAGMA integrity_check"), std::string("ok"));
    QCOMPARE(filesIn(m_place.folder / "backups"), std::size_t{1});
}

void TestMigrations::refuses_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("says");
    QTest::newRow("newer") << "newer"
                           << "newer Assay (schema 900, this program knows up to ";
    QTest::newRow("foreign database") << "foreign"
                                      << "not an Assay store";
    QTest::newRow("version 0 with tables") << "version 0"
                                           << "its schema is 0: it is damaged";
    QTest::newRow("negative version") << "version -3"
                                      << "its schema is -3: it is damaged";
    QTest::newRow("no database") << "text"
                                 << "damaged";
    QTest::newRow("damaged") << "damaged"
                             << "damaged";
}

void TestMigrations::refuses()
{
    QFETCH(QString, kind);
    QFETCH(QString, says);
    if (kind == "newer") {
        openForWriting(m_place, laterSchema());
    } else if (kind == "foreign") {
        fs::create_directories(m_place.folder);
        Database(m_place.database(), OpenMode::Create).script("CREATE TABLE theirs (x)");
    } else if (kind.startsWith("version ")) {
        const auto database = openForWriting(m_place);
        database->script("PRAGMA user_version = " + kind.mid(8).toStdString());
        database->checkpoint(true);
    } else if (kind == "text") {
        fs::create_directories(m_place.folder);
        std::ofstream(m_place.database()) << std::string(8192, 'x');
    } else {
        openForWriting(m_place)->checkpoint(true);
        std::fstream file(m_place.database(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100); // the root page of the schema
        file << std::string(3000, '\xee');
    }
    const auto before = readFile(m_place.database()).value();
    for (const bool writing : {true, false}) {
        const auto opened =
            writing ? guarded([&] { openForWriting(m_place); }) : guarded([&] { openForReading(m_place); });
        QVERIFY(!opened.ok());
        QCOMPARE(opened.error().code, ErrorCode::Store);
        const QString text = QString::fromStdString(opened.error().text());
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY2(text.contains(QString::fromStdString(m_place.database().string())), qPrintable(text));
    }
    QVERIFY(readFile(m_place.database()).value() == before); // not a byte
    QVERIFY(!fs::exists(m_place.folder / "backups"));
}

void TestMigrations::readsWithoutWriting_data()
{
    QTest::addColumn<bool>("log");
    QTest::newRow("without a log") << false;
    QTest::newRow("with a log") << true;
}

void TestMigrations::readsWithoutWriting()
{
    QFETCH(bool, log);
    const fs::path top = m_folder->path().toStdString();
    {
        auto writer = RunWriter::open(m_place);
        QVERIFY_RESULT(writer);
        for (int i = 0; i < 5; ++i)
            QVERIFY_RESULT((*writer)->beginRun(NewRun{}));
        if (log) // as a killed program leaves it
            fs::copy(m_place.folder, top / "copy");
    }
    const StorePlace place{log ? top / "copy" : m_place.folder};
    const auto logFile = place.database().string() + "-wal";
    QCOMPARE(fs::exists(logFile) && fs::file_size(logFile) > 0, log);
    fs::remove(place.database().string() + "-shm");
    for (const auto& entry : fs::directory_iterator(place.folder))
        if (entry.is_regular_file())
            ::chmod(entry.path().c_str(), 0444);
    for (fs::path folder = place.folder; folder != top.parent_path(); folder = folder.parent_path())
        ::chmod(folder.c_str(), 0555);

    QProcess process;
    process.start(QCoreApplication::applicationFilePath(),
                  {"--read-child", QString::fromStdString(place.folder.string())});
    QVERIFY(process.waitForFinished(60'000));
    const auto output = process.readAllStandardOutput();
    for (fs::path folder = place.folder; folder != top.parent_path(); folder = folder.parent_path())
        ::chmod(folder.c_str(), 0700);
    QCOMPARE(output, QByteArray("5 runs\n"));
    QVERIFY(!fs::exists(place.database().string() + "-shm"));
}

void TestMigrations::missingStoreIsNotFound()
{
    const auto reader = RunReader::open(m_place);
    QVERIFY(!reader.ok());
    QCOMPARE(reader.error().code, ErrorCode::NotFound);
    QVERIFY(!fs::exists(m_place.folder));
}

int main(int argc, char** argv)
{
    if (argc == 3 && std::string(argv[1]) == "--migrate-child")
        return migrateChild(argv[2]);
    if (argc == 3 && std::string(argv[1]) == "--read-child")
        return readChild(argv[2]);
    QCoreApplication application(argc, argv);
    TestMigrations test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_migrations.moc"
