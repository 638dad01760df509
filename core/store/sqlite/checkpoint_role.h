#pragma once

#include "core/store/sqlite/database.h"
#include "core/store/sqlite/file_lock.h"

#include <chrono>
#include <filesystem>
#include <optional>

namespace assay {

/// The right to checkpoint the write-ahead log, held by at most one connection over all processes (an flock).
/// Before SQLite 3.51.3 two checkpointing connections can damage a store; one cannot.
class CheckpointRole
{
public:
    explicit CheckpointRole(std::filesystem::path storeFolder)
        : m_folder(std::move(storeFolder))
    {}

    bool held() const { return m_lock.has_value(); }
    /// Tries to take the role, without waiting.
    bool tryTake();
    /// Takes the role if it is free and, when the log has grown or some seconds have passed, checkpoints
    /// through `database`. Call it often, outside transactions; it never waits for readers. Throws
    /// StoreFailure.
    void maintain(Database& database);
    /// A last checkpoint that also empties the log if nobody reads from it. Throws StoreFailure.
    void finish(Database& database);

private:
    std::uintmax_t logBytes(const Database& database) const;

    std::filesystem::path m_folder;
    std::optional<FileLock> m_lock;
    std::chrono::steady_clock::time_point m_lastTry{}, m_lastCheckpoint{};
};

} // namespace assay
