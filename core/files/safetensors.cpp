#include "core/files/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay {

namespace {

constexpr std::uint64_t kMaximumHeaderBytes = 100'000'000;
constexpr std::size_t kPrefixBytes = 8;
constexpr std::string_view kLfsPointer = "version https://git-lfs";

Error fileError(ErrorCode code, std::string message, const std::filesystem::path& path)
{
    return {code, std::move(message), path.string(), ""};
}

Status readAt(int file, std::uint64_t position, std::span<std::byte> out, const std::filesystem::path& path)
{
    std::size_t done = 0;
    while (done < out.size()) {
        // The kernel moves at most about 2 GiB at a time.
        const std::size_t part = std::min<std::size_t>(out.size() - done, std::size_t{1} << 30);
        const auto count = ::pread(file, out.data() + done, part, static_cast<off_t>(position + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fileError(ErrorCode::Io, std::string("cannot read: ") + std::strerror(errno), path);
        if (count == 0)
            return fileError(ErrorCode::Io, "the file became shorter while it was read", path);
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

} // namespace

struct SafetensorsFile::Descriptor
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

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path)
{
    SafetensorsFile file;
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
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < kPrefixBytes)
        return fileError(ErrorCode::BadModel,
                         "not a safetensors file: only " + std::to_string(size) + " bytes", path);

    std::string start(std::min<std::uint64_t>(size, kLfsPointer.size()), '\0');
    TRY_STATUS(readAt(file.m_file->fd, 0, std::as_writable_bytes(std::span(start)), path));
    if (start == kLfsPointer)
        return Error{ErrorCode::BadModel, "not a safetensors file but a Git LFS pointer to one",
                     path.string(), "Fetch the file itself with `git lfs pull`"};
    const auto headerBytes = littleEndian(std::as_bytes(std::span(start)).first(kPrefixBytes));
    if (headerBytes > kMaximumHeaderBytes || headerBytes > size - kPrefixBytes)
        return Error{ErrorCode::BadModel,
                     "not a safetensors file, or cut off: a header of " + std::to_string(headerBytes) +
                         " bytes in a file of " + std::to_string(size),
                     path.string(), "Fetch or copy the file again"};
    std::string header(headerBytes, '\0');
    TRY_STATUS(readAt(file.m_file->fd, kPrefixBytes, std::as_writable_bytes(std::span(header)), path));
    file.m_dataStart = kPrefixBytes + headerBytes;
    auto parsed = parseSafetensorsHeader(header, size - file.m_dataStart);
    if (!parsed) {
        auto error = parsed.error();
        error.where = path.string() + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    file.m_header = std::move(parsed).value();
    for (std::size_t i = 0; i < file.m_header.tensors.size(); ++i)
        file.m_index.emplace(file.m_header.tensors[i].name, i);
    return file;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const
{
    const auto found = m_index.find(name);
    return found == m_index.end() ? nullptr : &m_header.tensors[found->second];
}

Status SafetensorsFile::read(const TensorInfo& tensor, std::span<std::byte> out) const
{
    CHECK(out.size() == tensor.bytes(), "buffer and tensor differ in size");
    return readAt(m_file->fd, m_dataStart + tensor.begin, out, m_path);
}

} // namespace assay
