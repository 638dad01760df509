#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>

namespace assay {

/// An flock on a file of its own; the system releases it when the process dies, however it dies.
class FileLock
{
public:
    /// Waits until the lock is free. Errors: Io.
    static Result<FileLock> wait(const std::filesystem::path& path);
    /// Empty when somebody else holds it. Errors: Io.
    static Result<std::optional<FileLock>> tryTake(const std::filesystem::path& path);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

private:
    explicit FileLock(int fd)
        : m_fd(fd)
    {}
    int m_fd = -1;
};

} // namespace assay
