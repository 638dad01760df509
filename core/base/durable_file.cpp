#include "core/base/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace assay {

namespace {

Error ioError(const std::string& what, const std::filesystem::path& path)
{
    const int code = errno;
    Error error{code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, what + ": " + std::strerror(code),
                path.string()};
    std::error_code ignored;
    if (code == ENOENT && path.is_relative())
        error.remedy = "Check the name; it is relative to " + std::filesystem::current_path(ignored).string();
    else if (code == ENOENT)
        error.remedy = "Check the name";
    if (code == ENOSPC || code == EDQUOT)
        error.remedy = "Free some space on this disk";
    if (code == EACCES || code == EROFS)
        error.remedy = "Choose a place that can be written";
    return error;
}

/// Closes on every path; close errors are checked where they matter.
class FileDescriptor
{
public:
    explicit FileDescriptor(int fd)
        : m_fd(fd)
    {}
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    int get() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

} // namespace

Result<std::string> readFile(const std::filesystem::path& path, std::uintmax_t maximumBytes)
{
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0)
        return ioError("cannot open", path);
    struct stat status
    {};
    if (::fstat(file.get(), &status) != 0)
        return ioError("cannot read", path);
    if (S_ISDIR(status.st_mode))
        return Error{ErrorCode::Usage, "is a folder, a file was expected", path.string()};
    std::string content;
    if (status.st_size > 0) {
        if (static_cast<std::uintmax_t>(status.st_size) > maximumBytes)
            return Error{ErrorCode::BadData,
                         "is larger than the limit of " + std::to_string(maximumBytes) + " bytes",
                         path.string()};
        content.reserve(static_cast<std::size_t>(status.st_size));
    }
    std::string buffer(1 << 18, '\0');
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return ioError("cannot read", path);
        if (count == 0)
            break;
        content.append(buffer.data(), static_cast<std::size_t>(count));
        if (content.size() > maximumBytes)
            return Error{ErrorCode::BadData,
                         "is larger than the limit of " + std::to_string(maximumBytes) + " bytes",
                         path.string()};
    }
    return content;
}

Status writeAndSync(const std::filesystem::path& path, std::string_view bytes)
{
    return writeAndSync(path, std::span(&bytes, 1));
}

Status writeAndSync(const std::filesystem::path& path, std::span<const std::string_view> parts)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.get() < 0)
        return ioError("cannot create", path);
    for (auto bytes : parts) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                return ioError("cannot write", path);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    // After a failed fsync the kernel may have dropped the pages: the file counts as bad, no second try.
    if (::fsync(file.get()) != 0)
        return ioError("cannot flush to disk", path);
    if (::close(file.release()) != 0)
        return ioError("cannot close", path);
    return {};
}

Status writeDurably(const std::filesystem::path& path, std::string_view bytes)
{
    return writeDurably(path, std::span(&bytes, 1));
}

Status writeDurably(const std::filesystem::path& path, std::span<const std::string_view> parts)
{
    const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const auto temporary =
        directory / ("." + path.filename().string() + ".tmp-" + std::to_string(::getpid()));
    if (auto status = writeAndSync(temporary, parts); !status.ok()) {
        ::unlink(temporary.c_str());
        return status;
    }
    auto status = renameDurably(temporary, path);
    if (!status.ok())
        ::unlink(temporary.c_str()); // there only when it was the rename that failed
    return status;
}

Status renameDurably(const std::filesystem::path& from, const std::filesystem::path& to)
{
    if (::rename(from.c_str(), to.c_str()) != 0)
        return ioError("cannot rename to " + to.string(), from);
    const auto parent = to.has_parent_path() ? to.parent_path() : std::filesystem::path(".");
    TRY_STATUS(syncDirectory(parent));
    if (from.parent_path() != to.parent_path())
        TRY_STATUS(syncDirectory(from.has_parent_path() ? from.parent_path() : std::filesystem::path(".")));
    return {};
}

Result<std::set<std::string>> namesIn(const std::filesystem::path& folder)
{
    std::error_code error;
    std::set<std::string> names;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        names.insert(entry->path().filename().string());
    if (error) {
        errno = error.value();
        return ioError("cannot list folder", folder);
    }
    return names;
}

Status syncFile(const std::filesystem::path& path)
{
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0)
        return ioError("cannot open", path);
    if (::fsync(fd.get()) != 0)
        return ioError("cannot flush to disk", path);
    return {};
}

Status syncDirectory(const std::filesystem::path& directory)
{
    const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0)
        return ioError("cannot open folder", directory);
    if (::fsync(fd.get()) != 0)
        return ioError("cannot flush folder to disk", directory);
    return {};
}

Status createDirectories(const std::filesystem::path& directory)
{
    std::error_code unknown; // no right to look there, for example: mkdir says it better
    if (directory.empty() || std::filesystem::is_directory(directory, unknown))
        return {};
    if (directory.has_parent_path() && directory.parent_path() != directory)
        TRY_STATUS(createDirectories(directory.parent_path()));
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return ioError("cannot create folder", directory);
    // A row may name a file in here: the folder's own entry must be as durable as that row.
    return syncDirectory(directory.has_parent_path() ? directory.parent_path() : std::filesystem::path("."));
}

} // namespace assay
