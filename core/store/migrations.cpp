#include "core/store/migrations.h"

#include "core/base/clock.h"
#include "core/base/durable_file.h"
#include "core/base/log.h"
#include "core/store/sqlite/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplicationId = 0x41535359; // "ASSY"

/// Number at the beginning of `NNN_name.sql`.
std::int64_t versionOf(std::string_view name)
{
    std::int64_t version = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
    CHECK(error == std::errc() && version > 0, "a migration without a number: " + std::string(name));
    return version;
}

std::int64_t newestVersion(std::span<const EmbeddedFile> schema)
{
    CHECK(!schema.empty(), "no schema in the program");
    return versionOf(schema.back().name);
}

enum class FileSystem { Local, Network };

FileSystem fileSystemOf(const fs::path& folder)
{
    struct statfs status
    {};
    if (::statfs(folder.c_str(), &status) != 0)
        return FileSystem::Local;
    // NFS, SMB, CIFS, SMB2, AFS, Ceph, Lustre, GPFS, BeeGFS: shared memory and locks of the write-ahead log
    // are not shared between their clients. Values of linux/magic.h and of the file systems' own sources.
    constexpr std::array<std::uint32_t, 9> network = {0x6969U,     0x517BU,     0xFF534D42U,
                                                      0xFE534D42U, 0x5346414FU, 0x00C36400U,
                                                      0x0BD00BD0U, 0x47504653U, 0x19830326U};
    const auto type = static_cast<std::uint32_t>(status.f_type);
    for (const auto magic : network)
        if (type == magic)
            return FileSystem::Network;
    return FileSystem::Local;
}

/// Throws unless the file is a store this program understands; returns its version (0 = empty file).
std::int64_t checkedVersion(Database& database, std::int64_t newest)
{
    const std::int64_t application = database.integer("PRAGMA application_id");
    const std::int64_t version = database.integer("PRAGMA user_version");
    const bool empty = database.integer("SELECT count(*) FROM sqlite_master") == 0;
    if (empty && version == 0)
        return 0;
    if (application != kApplicationId)
        throw StoreFailure({ErrorCode::Store, "this database is not an Assay store", database.path().string(),
                            "Name another store with --store"});
    if (version < 1)
        throw StoreFailure({ErrorCode::Store,
                            "the store says that its schema is " + std::to_string(version) +
                                ": it is damaged, or another program has changed it",
                            database.path().string(),
                            "Restore a copy from the folder backups, or name another store with --store"});
    if (version > newest)
        throw StoreFailure({ErrorCode::Store,
                            "this store was written by a newer Assay (schema " + std::to_string(version) +
                                ", this program knows up to " + std::to_string(newest) + ")",
                            database.path().string(),
                            "Use the newer program, or name another store with --store"});
    return version;
}

/// Removes what a backup that failed, or was killed, has left: its copy and SQLite's journal of it. The lock
/// of the store keeps others out.
void sweepBackups(const fs::path& folder)
{
    if (const auto names = namesIn(folder); names.ok())
        for (const auto& name : *names)
            if (name.starts_with('.'))
                ::unlink((folder / name).c_str());
}

void backUp(Database& database, const StorePlace& place, std::int64_t version)
{
    const fs::path folder = place.folder / "backups";
    if (auto status = createDirectories(folder); !status.ok())
        throw StoreFailure(status.error());
    const std::string stem =
        "assay-schema-" + std::to_string(version) + "-" + std::to_string(nowMilliseconds());
    const fs::path temporary = folder / ("." + stem + ".tmp");
    sweepBackups(folder);
    // The folder is closed to others; VACUUM INTO leaves its file unflushed.
    const auto written = guarded([&] { database.run("VACUUM INTO ?", temporary.string()); });
    if (!written.ok()) {
        sweepBackups(folder);
        throw StoreFailure({written.error().code,
                            "no backup could be made before the migration: " + written.error().message,
                            folder.string(), "The store is unchanged. " + written.error().remedy});
    }
    ::chmod(temporary.c_str(), 0600);
    if (auto status = syncFile(temporary); !status.ok())
        throw StoreFailure(status.error());
    if (auto status = renameDurably(temporary, folder / (stem + ".db")); !status.ok())
        throw StoreFailure(status.error());
}

void migrate(Database& database, const StorePlace& place, std::span<const EmbeddedFile> schema)
{
    const std::int64_t version = checkedVersion(database, newestVersion(schema));
    if (version == newestVersion(schema))
        return;
    if (version > 0)
        backUp(database, place, version);
    // All in one: a failing migration leaves the old store.
    Transaction transaction(database);
    database.script("PRAGMA application_id = " + std::to_string(kApplicationId));
    for (const auto& file : schema) {
        if (versionOf(file.name) <= version)
            continue;
        database.script(file.content);
        database.script("PRAGMA user_version = " + std::to_string(versionOf(file.name)));
    }
    transaction.commit();
}

bool writable(const fs::path& path)
{
    return ::access(path.c_str(), W_OK) == 0;
}

bool hasLog(const StorePlace& place)
{
    std::error_code error;
    const auto size = fs::file_size(place.database().string() + "-wal", error);
    return !error && size > 0;
}

fs::path copyToTemporary(const StorePlace& place)
{
    std::error_code unknown; // then mkdtemp says why
    std::string pattern = (fs::temp_directory_path(unknown) / "assay-store-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw StoreFailure(
            {ErrorCode::Io, std::string("cannot make a temporary folder: ") + std::strerror(errno), pattern});
    const fs::path folder = pattern;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code error;
        fs::copy_file(place.database().string() + suffix, (folder / "assay.db").string() + suffix, error);
        if (error) {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
            throw StoreFailure({ErrorCode::Io, "cannot copy the store to read it: " + error.message(),
                                place.database().string(), "Free some space for temporary files"});
        }
        // The copy of a read-only file is read-only; recovery of the log needs to write.
        ::chmod(((folder / "assay.db").string() + suffix).c_str(), 0600);
    }
    return folder;
}

} // namespace

std::unique_ptr<Database> openForWriting(const StorePlace& place, std::span<const EmbeddedFile> schema)
{
    if (auto status = createDirectories(place.folder); !status.ok())
        throw StoreFailure(status.error());
    if (fileSystemOf(place.folder) == FileSystem::Network)
        throw StoreFailure({ErrorCode::Store,
                            "the store lies on a network file system, where it could be damaged",
                            place.folder.string(), "Name a folder on a local disk with --store"});
    // Eight programs that start at once must make one store and run one migration.
    auto lock = FileLock::wait(place.folder / "assay.lock");
    if (!lock.ok())
        throw StoreFailure(lock.error());
    auto database = std::make_unique<Database>(place.database(), OpenMode::Create);
    checkedVersion(*database, newestVersion(schema));
    if (const auto mode = database->text("PRAGMA journal_mode = WAL"); mode != "wal")
        // Some file systems map no shared memory: slower, as safe.
        logWarning("the store " + database->path().string() +
                   " cannot use a write-ahead log here: readers will wait for writers");
    migrate(*database, place, schema);
    if (auto status = createDirectories(place.artefacts()); !status.ok())
        throw StoreFailure(status.error());
    return database;
}

ReadingConnection::~ReadingConnection()
{
    database.reset();
    if (!temporaryFolder.empty()) {
        std::error_code ignored;
        fs::remove_all(temporaryFolder, ignored);
    }
}

ReadingConnection openForReading(const StorePlace& place, std::span<const EmbeddedFile> schema)
{
    std::error_code error;
    const bool exists = fs::exists(place.database(), error);
    if (error)
        throw StoreFailure({ErrorCode::Io, "the store cannot be looked into: " + error.message(),
                            place.folder.string(),
                            "Check the permissions, or name another store with --store"});
    if (!exists)
        throw StoreFailure({ErrorCode::NotFound, "there is no store yet", place.folder.string(),
                            "Train something first (assay demo), or name a store with --store"});
    ReadingConnection connection;
    const std::int64_t newest = newestVersion(schema);
    const bool shared = writable(place.folder) && writable(place.database()) &&
                        fileSystemOf(place.folder) == FileSystem::Local;
    if (shared) {
        connection.database = std::make_unique<Database>(place.database(), OpenMode::Read);
        if (checkedVersion(*connection.database, newest) < newest) {
            connection.database.reset();
            openForWriting(place, schema);
            connection.database = std::make_unique<Database>(place.database(), OpenMode::Read);
        }
        return connection;
    }
    if (hasLog(place)) {
        connection.temporaryFolder = copyToTemporary(place);
        connection.database =
            std::make_unique<Database>(connection.temporaryFolder / "assay.db", OpenMode::Write);
    } else {
        connection.database = std::make_unique<Database>(place.database(), OpenMode::Immutable);
    }
    if (checkedVersion(*connection.database, newest) < newest)
        throw StoreFailure({ErrorCode::Store,
                            "this store was written by an older Assay and cannot be brought up to date here",
                            place.folder.string(), "Copy it to a place that can be written"});
    return connection;
}

} // namespace assay
