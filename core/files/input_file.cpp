#include "core/files/input_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace assay {

namespace {

constexpr unsigned kBufferBytes = 1U << 17;

gzFile handle(void* file)
{
    return static_cast<gzFile>(file);
}

} // namespace

void InputFile::Closer::operator()(void* file) const
{
    gzclose_r(handle(file));
}

InputFile::InputFile(void* file, std::string name, std::uintmax_t maximumBytes)
    : m_file(file)
    , m_name(std::move(name))
    , m_maximumBytes(maximumBytes)
{}

Result<InputFile> InputFile::open(const std::filesystem::path& path, std::uintmax_t maximumBytes)
{
    errno = 0;
    const auto file = gzopen(path.c_str(), "rb");
    if (!file)
        return Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                     std::string("cannot open: ") + std::strerror(errno), path.string(), ""};
    gzbuffer(file, kBufferBytes);
    return InputFile(file, path.string(), maximumBytes);
}

Error InputFile::fault() const
{
    int code = Z_OK;
    const char* text = gzerror(handle(m_file.get()), &code);
    if (code == Z_ERRNO)
        return {ErrorCode::Io, std::string("reading failed: ") + std::strerror(errno), m_name, ""};
    if (code == Z_BUF_ERROR)
        return {ErrorCode::BadData, "the gzip file ends too early", m_name, "Fetch or copy the file again"};
    return {ErrorCode::BadData, std::string("the gzip file is damaged: ") + text, m_name,
            "Fetch or copy the file again"};
}

Result<std::size_t> InputFile::read(std::span<char> buffer)
{
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const auto wanted = std::min(buffer.size() - filled, std::size_t{std::numeric_limits<int>::max()});
        const int got = gzread(handle(m_file.get()), buffer.data() + filled, static_cast<unsigned>(wanted));
        int code = Z_OK;
        gzerror(handle(m_file.get()), &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
            return fault();
        filled += static_cast<std::size_t>(got);
        if (static_cast<std::size_t>(got) < wanted)
            break;
    }
    m_readBytes += filled;
    if (m_readBytes > m_maximumBytes && gzdirect(handle(m_file.get())) == 0)
        return Error{ErrorCode::BadData,
                     "the gzip file expands to more than " + std::to_string(m_maximumBytes) + " bytes",
                     m_name, "Unpack it and split it into several files"};
    return filled;
}

Result<std::string> InputFile::readRest(std::uintmax_t maximumBytes)
{
    std::string text;
    std::string part(std::size_t{1} << 20, '\0');
    for (;;) {
        TRY(const auto size, read(part));
        if (text.size() + size > maximumBytes)
            return Error{ErrorCode::BadData, "is larger than " + std::to_string(maximumBytes) + " bytes",
                         m_name, "Split it, or write one row a line"};
        text.append(part, 0, size);
        if (size < part.size())
            return text;
    }
}

Status InputFile::rewind()
{
    m_readBytes = 0;
    if (gzrewind(handle(m_file.get())) != 0)
        return Error{ErrorCode::Io, "cannot read from the start again", m_name, ""};
    return {};
}

} // namespace assay
