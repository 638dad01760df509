#include "core/store/sqlite/checkpoint_role.h"

namespace assay {

namespace {

using namespace std::chrono_literals;

constexpr auto kTryEvery = 2s;
constexpr auto kCheckpointEvery = 5s;
/// A log of this size is moved at once; when it is four times as large it is emptied as well.
constexpr std::uintmax_t kLogBytes = 4U << 20;

} // namespace

bool CheckpointRole::tryTake()
{
    if (!m_lock)
        if (auto lock = FileLock::tryTake(m_folder / "checkpoint.lock"); lock.ok() && *lock)
            m_lock = std::move(**lock);
    return held();
}

std::uintmax_t CheckpointRole::logBytes(const Database& database) const
{
    std::error_code error;
    const auto size = std::filesystem::file_size(database.path().string() + "-wal", error);
    return error ? 0 : size;
}

void CheckpointRole::maintain(Database& database)
{
    const auto now = std::chrono::steady_clock::now();
    if (!held()) {
        if (now - m_lastTry < kTryEvery)
            return;
        m_lastTry = now;
        if (!tryTake())
            return;
    }
    const auto bytes = logBytes(database);
    const auto waited = now - m_lastCheckpoint;
    if (bytes == 0 || (waited < kCheckpointEvery && (bytes < kLogBytes || waited < 250ms)))
        return;
    m_lastCheckpoint = now;
    database.checkpoint(bytes > 4 * kLogBytes);
}

void CheckpointRole::finish(Database& database)
{
    if (tryTake())
        database.checkpoint(true);
}

} // namespace assay
