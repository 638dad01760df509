#include "core/store/sqlite/database.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay {

namespace {

constexpr int kBusyMilliseconds = 10'000;
constexpr std::size_t kCachedStatements = 64;

Error describe(int code, const std::string& message, const std::filesystem::path& path)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return {ErrorCode::Io, "the disk is full: " + message, path.string(), "Free some space on this disk"};
    case SQLITE_IOERR:
        return {ErrorCode::Io, "reading or writing the store failed: " + message, path.string(),
                "Check the disk and its free space"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return {ErrorCode::Store, "the store is damaged: " + message, path.string(),
                "Restore a copy from the folder backups, or name another store with --store"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::Store, "another process keeps the store locked", path.string(), "Try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
        return {ErrorCode::Io, "the store cannot be opened or written: " + message, path.string(),
                "Check the permissions, or name another store with --store"};
    default:
        return {ErrorCode::Store, "the store refused: " + message, path.string()};
    }
}

/// Turns SQLiteCpp's exceptions into ours.
template <typename Function>
auto translated(const std::filesystem::path& path, Function&& function)
{
    try {
        return function();
    } catch (const SQLite::Exception& exception) {
        throw StoreFailure(describe(exception.getErrorCode(), exception.what(), path));
    }
}

void createPrivately(const std::filesystem::path& path)
{
    // SQLite would create it with 0644; the log and the shared memory take the mode of the database.
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        throw StoreFailure({ErrorCode::Io, std::string("cannot create the store: ") + std::strerror(errno),
                            path.string(), "Name another place with --store"});
    ::close(fd);
}

std::string immutableUri(const std::filesystem::path& path)
{
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        if (c == '?' || c == '#' || c == '%') {
            static const char digits[] = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            uri += {'%', digits[byte >> 4], digits[byte & 15]};
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

} // namespace

Statement::Statement(Database& database, std::string sql, std::unique_ptr<SQLite::Statement> statement)
    : m_database(database)
    , m_sql(std::move(sql))
    , m_statement(std::move(statement))
{}

Statement::Statement(Statement&&) noexcept = default;

Statement::~Statement()
{
    if (m_statement)
        m_database.giveBack(std::move(m_sql), std::move(m_statement));
}

Statement& Statement::bind(std::int64_t value)
{
    translated(m_database.path(), [&] { m_statement->bind(m_next++, value); });
    return *this;
}

Statement& Statement::bind(double value)
{
    translated(m_database.path(), [&] { m_statement->bind(m_next++, value); });
    return *this;
}

Statement& Statement::bind(const std::string& value)
{
    translated(m_database.path(), [&] { m_statement->bind(m_next++, value); });
    return *this;
}

Statement& Statement::bind(std::nullptr_t)
{
    translated(m_database.path(), [&] { m_statement->bind(m_next++); });
    return *this;
}

Statement& Statement::bind(const SqlValue& value)
{
    std::visit(
        [this](const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                bind(nullptr);
            else
                bind(v);
        },
        value);
    return *this;
}

Statement& Statement::bindBlob(std::string_view bytes)
{
    CHECK(bytes.size() < static_cast<std::size_t>(std::numeric_limits<int>::max()), "BLOB too large");
    translated(m_database.path(), [&] {
        m_statement->bind(m_next++, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
    });
    return *this;
}

bool Statement::step()
{
    return translated(m_database.path(), [&] { return m_statement->executeStep(); });
}

void Statement::run()
{
    translated(m_database.path(), [&] {
        while (m_statement->executeStep()) {
        }
        m_statement->reset();
        m_next = 1;
    });
}

bool Statement::isNull(int column) const
{
    return m_statement->getColumn(column).isNull();
}

std::int64_t Statement::integer(int column) const
{
    return m_statement->getColumn(column).getInt64();
}

double Statement::real(int column) const
{
    const auto value = m_statement->getColumn(column);
    return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.getDouble();
}

std::optional<double> Statement::optionalReal(int column) const
{
    const auto value = m_statement->getColumn(column);
    return value.isNull() ? std::nullopt : std::optional<double>(value.getDouble());
}

std::string Statement::text(int column) const
{
    return m_statement->getColumn(column).getString();
}

std::string_view Statement::blob(int column) const
{
    const auto value = m_statement->getColumn(column);
    const void* bytes = value.getBlob();
    return {static_cast<const char*>(bytes), bytes ? static_cast<std::size_t>(value.getBytes()) : 0};
}

Database::Database(const std::filesystem::path& path, OpenMode mode)
    : m_path(path)
{
    if (mode == OpenMode::Create)
        createPrivately(path);
    translated(path, [&] {
        switch (mode) {
        case OpenMode::Create:
        case OpenMode::Write:
            m_connection =
                std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE, kBusyMilliseconds);
            break;
        case OpenMode::Read:
            m_connection =
                std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY, kBusyMilliseconds);
            break;
        case OpenMode::Immutable:
            m_connection = std::make_unique<SQLite::Database>(
                immutableUri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyMilliseconds);
            break;
        }
        sqlite3* handle = m_connection->getHandle();
        sqlite3_extended_result_codes(handle, 1);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        // Two connections that checkpoint at once can lose a reset of the log (SQLite before 3.51.3): nobody
        // but the holder of the role does, and it does so when it decides to.
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        m_connection->exec(
            "PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0;"
            "PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;");
    });
}

Database::~Database()
{
    m_cache.clear();
}

Statement Database::prepare(std::string_view sql)
{
    if (const auto cached = m_cache.find(sql); cached != m_cache.end()) {
        auto node = m_cache.extract(cached);
        return {*this, std::move(node.key()), std::move(node.mapped())};
    }
    std::string text(sql);
    auto statement =
        translated(m_path, [&] { return std::make_unique<SQLite::Statement>(*m_connection, text); });
    return {*this, std::move(text), std::move(statement)};
}

void Database::giveBack(std::string sql, std::unique_ptr<SQLite::Statement> statement) noexcept
{
    // tryReset returns the error of the last step again; it has been reported already.
    static_cast<void>(statement->tryReset());
    if (m_cache.size() >= kCachedStatements)
        return;
    try {
        statement->clearBindings();
        m_cache.emplace(std::move(sql), std::move(statement));
    } catch (const std::exception&) {
        // Not cached, then.
    }
}

void Database::script(std::string_view sql)
{
    translated(m_path, [&] { m_connection->exec(std::string(sql)); });
}

std::int64_t Database::lastInsertId() const
{
    return m_connection->getLastInsertRowid();
}

std::int64_t Database::changes() const
{
    return m_connection->getChanges();
}

bool Database::inTransaction() const
{
    return sqlite3_get_autocommit(m_connection->getHandle()) == 0;
}

void Database::checkpoint(bool truncate)
{
    sqlite3* handle = m_connection->getHandle();
    int code = sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (truncate && code == SQLITE_OK) {
        // Does not wait: a reader in the way only means that the log is emptied at a later try.
        sqlite3_busy_timeout(handle, 0);
        code = sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
        sqlite3_busy_timeout(handle, kBusyMilliseconds);
    }
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
        throw StoreFailure(describe(code, sqlite3_errmsg(handle), m_path));
}

Transaction::Transaction(Database& database)
    : m_database(database)
{
    m_database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction()
{
    if (!m_open || !m_database.inTransaction())
        return;
    try {
        m_database.run("ROLLBACK");
    } catch (const StoreFailure&) {
        // SQLite has rolled back by itself (disk full, I/O error).
    }
}

void Transaction::commit()
{
    m_database.run("COMMIT");
    m_open = false;
}

Snapshot::Snapshot(Database& database)
    : m_database(database)
{
    m_database.run("BEGIN");
}

Snapshot::~Snapshot()
{
    try {
        m_database.run("COMMIT");
    } catch (const StoreFailure&) {
        // A read transaction has nothing to lose.
    }
}

std::string sqliteVersion()
{
    return sqlite3_libversion();
}

} // namespace assay
