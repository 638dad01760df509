#include "core/files/input_file.h"

#include "core/files/packed_stream.h"

#include <algorithm>
#include <fstream>

namespace assay {

namespace {

bool startsLikeZstd(const std::filesystem::path& path)
{
    std::string start(4, '\0');
    std::ifstream file(path, std::ios::binary);
    return file.read(start.data(), std::ssize(start)) && start == "\x28\xb5\x2f\xfd";
}

} // namespace

std::string packingName(Packing packing)
{
    switch (packing) {
    case Packing::Gzip:
        return "gzip";
    case Packing::Zstd:
        return "zstd";
    case Packing::None:
        break;
    }
    return {};
}

InputFile::InputFile(std::unique_ptr<Stream> stream, std::string name, std::uintmax_t fileBytes,
                     std::uintmax_t maximumBytes)
    : m_stream(std::move(stream))
    , m_name(std::move(name))
    , m_fileBytes(fileBytes)
    , m_maximumBytes(maximumBytes)
{}

Result<InputFile> InputFile::open(const std::filesystem::path& path, std::uintmax_t maximumBytes)
{
    TRY(auto stream, startsLikeZstd(path) ? openZstdStream(path) : openGzipStream(path));
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path, ignored);
    return InputFile(std::move(stream), path.string(), ignored ? 0 : bytes, maximumBytes);
}

Packing InputFile::packing() const
{
    return m_stream->packing();
}

double InputFile::share() const
{
    return m_fileBytes == 0
               ? 1.0
               : std::min(1.0, static_cast<double>(m_stream->taken()) / static_cast<double>(m_fileBytes));
}

Result<std::size_t> InputFile::read(std::span<char> buffer)
{
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const auto got = m_stream->read(buffer.subspan(filled));
        if (!got.ok()) {
            auto error = got.error();
            error.where = m_name;
            return error;
        }
        if (*got == 0)
            break;
        filled += *got;
    }
    m_readBytes += filled;
    if (m_readBytes > m_maximumBytes && packing() != Packing::None)
        return Error{ErrorCode::BadData,
                     "the " + packingName(packing()) + " file expands to more than " +
                         std::to_string(m_maximumBytes) + " bytes",
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
    if (!m_stream->rewind())
        return Error{ErrorCode::Io, "cannot read from the start again", m_name, ""};
    return {};
}

} // namespace assay
