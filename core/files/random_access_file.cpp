#include "core/files/random_access_file.h"

#include "core/files/foreign_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace assay {

namespace {

Error fileError(ErrorCode code, std::string message, const std::filesystem::path& path)
{
    return {code, std::move(message), path.string(), ""};
}

} // namespace

struct RandomAccessFile::Descriptor
{
    int fd = -1;
    explicit Descriptor(int descriptor)
        : fd(descriptor)
    {}
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

Result<RandomAccessFile> RandomAccessFile::open(const std::filesystem::path& path)
{
    RandomAccessFile file;
    file.m_path = path;
    // O_NONBLOCK: a named pipe must be refused, not waited for.
    file.m_file = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.m_file->fd < 0)
        return fileError(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                         std::string("cannot open: ") + std::strerror(errno), path);
    struct stat status
    {};
    if (::fstat(file.m_file->fd, &status) != 0)
        return fileError(ErrorCode::Io, std::string("cannot read: ") + std::strerror(errno), path);
    if (!S_ISREG(status.st_mode))
        return fileError(ErrorCode::BadModel, "is not a regular file", path);
    file.m_size = static_cast<std::uint64_t>(status.st_size);
    return file;
}

Status RandomAccessFile::read(std::uint64_t position, std::span<std::byte> out) const
{
    std::size_t done = 0;
    while (done < out.size()) {
        // The kernel moves at most about 2 GiB at a time.
        const std::size_t part = std::min<std::size_t>(out.size() - done, std::size_t{1} << 30);
        const auto count = ::pread(m_file->fd, out.data() + done, part, static_cast<off_t>(position + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fileError(ErrorCode::Io, std::string("cannot read: ") + std::strerror(errno), m_path);
        if (count == 0)
            return fileError(ErrorCode::Io, "the file became shorter while it was read", m_path);
        done += static_cast<std::size_t>(count);
    }
    return {};
}

std::uint64_t littleEndian(std::span<const std::byte> bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

std::optional<Error> foreignFile(const RandomAccessFile& file)
{
    std::string start(std::min<std::uint64_t>(file.size(), kForeignStartBytes), '\0');
    if (!file.read(0, std::as_writable_bytes(std::span(start))).ok())
        return std::nullopt;
    auto error = foreignFile(start, ErrorCode::BadModel);
    if (error)
        error->where = file.path().string();
    return error;
}

} // namespace assay
