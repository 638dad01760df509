// The functions of the C library that change or read files, as disk_shim.h says; the real ones stand behind
// them.
#include "tests/support/disk_shim/shim_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

using namespace assay::tests;

namespace {

using Lock = std::scoped_lock<std::recursive_mutex>;

std::string absolute(int folder, const char* path)
{
    if (path[0] == '/')
        return path;
    std::array<char, 4096> base{};
    const std::string link =
        folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
    const auto length = ::readlink(link.c_str(), base.data(), base.size() - 1);
    return std::string(base.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length))) + "/" + path;
}

int openAt(int folder, const char* name, int flags, mode_t mode)
{
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    const auto path = absolute(folder, name);
    struct stat status
    {};
    if (shim.isWatched(path)) {
        const bool creates = (flags & O_CREAT) != 0 && ::stat(path.c_str(), &status) != 0;
        if (shim.decide(creates ? DiskCall::Create : DiskCall::Open) == Outcome::Failed)
            return -1;
    }
    const int descriptor = REAL(openat)(folder, name, flags, mode);
    shim.opened(descriptor, path, (flags & O_TRUNC) != 0);
    return descriptor;
}

std::size_t half(std::size_t count)
{
    return count > 1 ? count / 2 : count;
}

/// An offset below 0 is the file's own.
ssize_t readAt(int descriptor, void* bytes, std::size_t count, off_t offset)
{
    auto& shim = shimState();
    {
        const Lock lock(shim.mutex);
        if (shim.fileOf(descriptor)) {
            const auto outcome = shim.decide(DiskCall::Read);
            if (outcome == Outcome::Failed)
                return -1;
            count = outcome == Outcome::Half ? half(count) : count;
        }
    }
    return offset < 0 ? REAL(read)(descriptor, bytes, count) : REAL(pread)(descriptor, bytes, count, offset);
}

ssize_t writeAt(int descriptor, const void* bytes, std::size_t count, off_t offset)
{
    auto& shim = shimState();
    const auto call = [&] {
        return offset < 0 ? REAL(write)(descriptor, bytes, count)
                          : REAL(pwrite)(descriptor, bytes, count, offset);
    };
    std::unique_lock lock(shim.mutex);
    const auto* file = shim.fileOf(descriptor);
    if (!file) {
        lock.unlock(); // a full pipe may wait for long
        return call();
    }
    shim.guardChange(*file, false);
    const auto outcome = shim.decide(DiskCall::Write);
    if (outcome == Outcome::Failed)
        return -1;
    count = outcome == Outcome::Half ? half(count) : count;
    const auto place = offset < 0 ? ::lseek(descriptor, 0, SEEK_CUR) : offset;
    const auto written = call();
    if (written > 0)
        shim.record(DiskRecord::Write, file->handle, static_cast<std::uint64_t>(place), {}, {},
                    {static_cast<const char*>(bytes), static_cast<std::size_t>(written)});
    return written;
}

int sync(int descriptor, int (*call)(int))
{
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    const auto* file = shim.fileOf(descriptor);
    if (file && shim.decide(DiskCall::Sync) == Outcome::Failed)
        return -1;
    const int result = call(descriptor);
    if (file && result == 0)
        shim.record(DiskRecord::Sync, file->handle, 0);
    return result;
}

/// A change of names: fails, or happens and is written down.
template <typename Function>
int changeName(DiskRecord::Kind kind, const std::string& path, const std::string& target, Function&& call)
{
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    if (!shim.isWatched(path))
        return call();
    if (shim.decide(DiskCall::Name) == Outcome::Failed)
        return -1;
    const int result = call();
    if (result == 0)
        shim.record(kind, 0, 0, path, target);
    return result;
}

mode_t modeOf(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(folder, path, flags, mode);
}

// What hardened programs call when the flags or sizes are not known to the compiler.
int __open_2(const char* path, int flags)
{
    return openAt(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char* path, int flags)
{
    return openAt(AT_FDCWD, path, flags, 0);
}

ssize_t __read_chk(int descriptor, void* bytes, std::size_t count, std::size_t room)
{
    return count > room ? (::abort(), -1) : readAt(descriptor, bytes, count, -1);
}

FILE* fopen(const char* path, const char* mode)
{
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    const auto full = absolute(AT_FDCWD, path);
    if (shim.isWatched(full) &&
        shim.decide(mode[0] == 'r' ? DiskCall::Open : DiskCall::Create) == Outcome::Failed)
        return nullptr;
    FILE* file = REAL(fopen)(path, mode);
    if (file)
        shim.opened(::fileno(file), full, mode[0] == 'w');
    return file;
}

FILE* fopen64(const char* path, const char* mode)
{
    return ::fopen(path, mode);
}

int close(int descriptor)
{
    const Lock lock(shimState().mutex);
    shimState().closing(descriptor);
    return REAL(close)(descriptor);
}

int fclose(FILE* file)
{
    const Lock lock(shimState().mutex);
    shimState().closing(::fileno(file));
    return REAL(fclose)(file);
}

int closedir(DIR* folder)
{
    const Lock lock(shimState().mutex);
    shimState().closing(::dirfd(folder));
    return REAL(closedir)(folder);
}

ssize_t read(int descriptor, void* bytes, std::size_t count)
{
    return readAt(descriptor, bytes, count, -1);
}

ssize_t pread(int descriptor, void* bytes, std::size_t count, off_t offset)
{
    return readAt(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void* bytes, std::size_t count, off_t offset)
{
    return readAt(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void* bytes, std::size_t count)
{
    return writeAt(descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset)
{
    return writeAt(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off_t offset)
{
    return writeAt(descriptor, bytes, count, offset);
}

int fsync(int descriptor)
{
    return sync(descriptor, REAL(fsync));
}

int fdatasync(int descriptor)
{
    return sync(descriptor, REAL(fdatasync));
}

int ftruncate(int descriptor, off_t size) noexcept
{
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    const auto* file = shim.fileOf(descriptor);
    if (file) {
        shim.guardChange(*file, true);
        if (shim.decide(DiskCall::Name) == Outcome::Failed)
            return -1;
    }
    const int result = REAL(ftruncate)(descriptor, size);
    if (file && result == 0)
        shim.record(DiskRecord::Truncate, file->handle, static_cast<std::uint64_t>(size));
    return result;
}

int ftruncate64(int descriptor, off_t size) noexcept
{
    return ::ftruncate(descriptor, size);
}

int rename(const char* from, const char* to) noexcept
{
    return changeName(DiskRecord::Rename, absolute(AT_FDCWD, from), absolute(AT_FDCWD, to),
                      [&] { return REAL(rename)(from, to); });
}

int unlink(const char* path) noexcept
{
    return changeName(DiskRecord::Unlink, absolute(AT_FDCWD, path), {}, [&] { return REAL(unlink)(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept
{
    return changeName((flags & AT_REMOVEDIR) != 0 ? DiskRecord::RemoveFolder : DiskRecord::Unlink,
                      absolute(folder, path), {}, [&] { return REAL(unlinkat)(folder, path, flags); });
}

int remove(const char* path) noexcept
{
    struct stat status
    {};
    const bool folder = ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return ::unlinkat(AT_FDCWD, path, folder ? AT_REMOVEDIR : 0);
}

int rmdir(const char* path) noexcept
{
    return ::unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char* path, mode_t mode) noexcept
{
    return changeName(DiskRecord::MakeFolder, absolute(AT_FDCWD, path), {},
                      [&] { return REAL(mkdir)(path, mode); });
}

int flock(int descriptor, int operation) noexcept
{
    const int result = REAL(flock)(descriptor, operation);
    auto& shim = shimState();
    const Lock lock(shim.mutex);
    if (auto* file = shim.fileOf(descriptor); file && result == 0 && (operation & LOCK_EX) != 0)
        shim.locked(*file);
    return result;
}

} // extern "C"
#pragma GCC visibility pop
