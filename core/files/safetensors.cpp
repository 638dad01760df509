#include "core/files/safetensors.h"

#include <array>
#include <string>

namespace assay {

namespace {

constexpr std::uint64_t kMaximumHeaderBytes = 100'000'000;
constexpr std::size_t kPrefixBytes = 8;

} // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path)
{
    SafetensorsFile file;
    TRY(file.m_file, RandomAccessFile::open(path));
    const auto size = file.m_file.size();
    if (size < kPrefixBytes)
        return Error{ErrorCode::BadModel, "not a safetensors file: only " + std::to_string(size) + " bytes",
                     path.string()};
    if (auto foreign = foreignFile(file.m_file))
        return *foreign;
    std::array<std::byte, kPrefixBytes> prefix{};
    TRY_STATUS(file.m_file.read(0, prefix));
    const auto headerBytes = littleEndian(prefix);
    if (headerBytes > kMaximumHeaderBytes || headerBytes > size - kPrefixBytes)
        return Error{ErrorCode::BadModel,
                     "not a safetensors file, or cut off: a header of " + std::to_string(headerBytes) +
                         " bytes in a file of " + std::to_string(size),
                     path.string(), "Fetch or copy the file again"};
    std::string header(headerBytes, '\0');
    TRY_STATUS(file.m_file.read(kPrefixBytes, std::as_writable_bytes(std::span(header))));
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
    return m_file.read(m_dataStart + tensor.begin, out);
}

} // namespace assay
