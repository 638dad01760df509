#include "core/files/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace assay {

namespace {

namespace fs = std::filesystem;

fs::path variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

Error failed(std::string_view what, const fs::path& folder)
{
    return {ErrorCode::Io, fmt::format("{}: {}", what, std::strerror(errno)), folder.string(),
            errno == ENOSPC ? "Free space there, or set XDG_CACHE_HOME to a folder on another disk" : ""};
}

int openNameless(const fs::path& folder)
{
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return file;
    // Not every file system has files without a name.
    std::string name = (folder / "assay-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

} // namespace

struct ScratchFile::File
{
    int descriptor = -1;
    std::uint64_t size = 0;
    fs::path folder;
    ~File() { ::close(descriptor); }
};

fs::path ScratchFile::defaultFolder()
{
    if (const auto cache = variable("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "assay";
    if (const auto home = variable("HOME"); home.is_absolute())
        return home / ".cache" / "assay";
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

Result<ScratchFile> ScratchFile::create(const fs::path& folder)
{
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const int descriptor = openNameless(folder);
    if (descriptor < 0)
        return failed("cannot write a scratch file", folder);
    ScratchFile scratch;
    scratch.m_file = std::make_shared<File>();
    scratch.m_file->descriptor = descriptor;
    scratch.m_file->folder = folder;
    return scratch;
}

std::uint64_t ScratchFile::size() const
{
    return m_file->size;
}

Status ScratchFile::append(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const auto written =
            ::pwrite(m_file->descriptor, bytes.data(), bytes.size(), static_cast<off_t>(m_file->size));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed(fmt::format("cannot write {} more bytes of a scratch file", bytes.size()),
                          m_file->folder);
        m_file->size += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Status ScratchFile::read(std::uint64_t position, std::span<std::byte> out) const
{
    while (!out.empty()) {
        const auto got = ::pread(m_file->descriptor, out.data(), out.size(), static_cast<off_t>(position));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return failed("cannot read a scratch file", m_file->folder);
        position += static_cast<std::uint64_t>(got);
        out = out.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

} // namespace assay
