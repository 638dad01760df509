#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace SQLite {
class Database;
class Statement;
} // namespace SQLite

namespace assay {

/// "3.40.1": the library that runs, not the one compiled against.
std::string sqliteVersion();

/// How SQLite's failures travel inside this folder; `guarded` turns them into Results at its doors.
class StoreFailure : public std::exception
{
public:
    explicit StoreFailure(Error error)
        : m_error(std::move(error))
    {}
    const Error& error() const { return m_error; }
    const char* what() const noexcept override { return m_error.message.c_str(); }

private:
    Error m_error;
};

/// Runs a function and returns its value, or the Error of the StoreFailure it threw.
template <typename Function>
auto guarded(Function&& function) -> Result<decltype(function())>
{
    try {
        if constexpr (std::is_void_v<decltype(function())>) {
            function();
            return {};
        } else {
            return function();
        }
    } catch (const StoreFailure& failure) {
        return failure.error();
    }
}

/// A value that is bound to a statement; monostate is NULL.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

class Database;

/// A prepared statement, taken from its connection's cache and given back, reset, when it goes out of scope.
/// Reset matters: a statement left in the middle of its rows pins the write-ahead log.
class Statement
{
public:
    Statement(Database& database, std::string sql, std::unique_ptr<SQLite::Statement> statement);
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    /// Binds the next parameter. NaN is stored as NULL.
    Statement& bind(std::int64_t value);
    Statement& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
    Statement& bind(bool value) { return bind(static_cast<std::int64_t>(value ? 1 : 0)); }
    Statement& bind(double value);
    Statement& bind(const std::string& value);
    Statement& bind(std::string_view value) { return bind(std::string(value)); }
    Statement& bind(const char* value) { return bind(std::string(value)); }
    Statement& bind(std::nullptr_t);
    Statement& bind(const SqlValue& value);
    template <typename T>
    Statement& bind(const std::optional<T>& value)
    {
        return value ? bind(*value) : bind(nullptr);
    }
    Statement& bindBlob(std::string_view bytes);

    /// Moves to the next row; false at the end.
    bool step();
    /// Runs a statement without rows and makes it ready for the next parameters.
    void run();

    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const; ///< NULL reads as NaN
    std::optional<double> optionalReal(int column) const;
    std::string text(int column) const;
    std::string_view blob(int column) const; ///< valid until the next step
    bool boolean(int column) const { return integer(column) != 0; }

private:
    Database& m_database;
    std::string m_sql;
    std::unique_ptr<SQLite::Statement> m_statement;
    int m_next = 1;
};

enum class OpenMode {
    Create,    ///< read and write; created with mode 0600 if absent
    Write,     ///< read and write
    Read,      ///< read only, sees commits of other processes
    Immutable, ///< read only, no locks: nobody can write this file
};

/// One SQLite connection with the settings of the store. Not thread-safe: one thread at a time.
class Database
{
public:
    /// Throws StoreFailure.
    Database(const std::filesystem::path& path, OpenMode mode);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    Statement prepare(std::string_view sql);
    /// Prepares, binds and runs a statement without rows.
    template <typename... Values>
    void run(std::string_view sql, const Values&... values)
    {
        Statement statement = prepare(sql);
        (statement.bind(values), ...);
        statement.run();
    }
    /// First column of the first row, as an integer. NULL and no row read as 0.
    template <typename... Values>
    std::int64_t integer(std::string_view sql, const Values&... values)
    {
        Statement statement = prepare(sql);
        (statement.bind(values), ...);
        return statement.step() && !statement.isNull(0) ? statement.integer(0) : 0;
    }
    /// First column of the first row, as text. No row reads as empty.
    template <typename... Values>
    std::string text(std::string_view sql, const Values&... values)
    {
        Statement statement = prepare(sql);
        (statement.bind(values), ...);
        return statement.step() ? statement.text(0) : std::string();
    }
    /// Several statements, without parameters.
    void script(std::string_view sql);

    std::int64_t lastInsertId() const;
    std::int64_t changes() const;
    bool inTransaction() const;
    const std::filesystem::path& path() const { return m_path; }

    /// Moves what it can from the write-ahead log into the database without waiting for anybody; `truncate`
    /// also empties the log when nobody reads from it. Only for the holder of the checkpointing role.
    void checkpoint(bool truncate);

private:
    friend class Statement;
    void giveBack(std::string sql, std::unique_ptr<SQLite::Statement> statement) noexcept;

    std::filesystem::path m_path;
    std::unique_ptr<SQLite::Database> m_connection;
    std::multimap<std::string, std::unique_ptr<SQLite::Statement>, std::less<>> m_cache;
};

/// A write transaction (BEGIN IMMEDIATE); rolls back unless committed.
class Transaction
{
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& m_database;
    bool m_open = true;
};

/// Several selects that see one state of the store.
class Snapshot
{
public:
    explicit Snapshot(Database& database);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Database& m_database;
};

} // namespace assay
