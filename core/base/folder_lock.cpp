#include "core/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

namespace {

int openFolder(const std::filesystem::path& folder)
{
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Whether the path still names the folder that was opened: it may have been deleted before the lock was
/// there.
bool stillThere(int descriptor, const std::filesystem::path& folder)
{
    struct stat opened
    {
    }, named{};
    return ::fstat(descriptor, &opened) == 0 && ::stat(folder.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

} // namespace

Result<FolderLock> FolderLock::share(const std::filesystem::path& folder)
{
    const Error gone{ErrorCode::NotFound, "there is no such folder, or no longer", folder.string()};
    FolderLock lock(openFolder(folder));
    if (lock.m_descriptor < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? gone
                   : Error{ErrorCode::Io, std::strerror(errno), folder.string()};
    while (::flock(lock.m_descriptor, LOCK_SH) != 0)
        if (errno != EINTR)
            return Error{ErrorCode::Io, std::string("cannot be locked: ") + std::strerror(errno),
                         folder.string(), "Keep the store on a local disk"};
    if (!stillThere(lock.m_descriptor, folder))
        return gone;
    return lock;
}

std::optional<FolderLock> FolderLock::tryAlone(const std::filesystem::path& folder)
{
    FolderLock lock(openFolder(folder));
    if (lock.m_descriptor < 0 || ::flock(lock.m_descriptor, LOCK_EX | LOCK_NB) != 0 ||
        !stillThere(lock.m_descriptor, folder))
        return std::nullopt;
    return lock;
}

FolderLock::~FolderLock()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

} // namespace assay
