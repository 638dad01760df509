#include "core/store/sqlite/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace assay {

namespace {

Error lockError(const std::filesystem::path& path)
{
    return {ErrorCode::Io, std::string("cannot lock: ") + std::strerror(errno), path.string(),
            "The store must lie on a local disk that can be written"};
}

int openLock(const std::filesystem::path& path)
{
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

} // namespace

Result<FileLock> FileLock::wait(const std::filesystem::path& path)
{
    FileLock lock(openLock(path));
    if (lock.m_fd < 0)
        return lockError(path);
    while (::flock(lock.m_fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return lockError(path);
    return lock;
}

Result<std::optional<FileLock>> FileLock::tryTake(const std::filesystem::path& path)
{
    FileLock lock(openLock(path));
    if (lock.m_fd < 0)
        return lockError(path);
    while (::flock(lock.m_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return std::optional<FileLock>();
        if (errno != EINTR)
            return lockError(path);
    }
    return std::optional<FileLock>(std::move(lock));
}

FileLock::FileLock(FileLock&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

FileLock::~FileLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

} // namespace assay
