#include "core/files/pickled/zip_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace assay {

namespace {

// PKWARE's APPNOTE: signatures and sizes of the fixed parts, in bytes.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                        kLocator64 = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocator64Bytes = 20;
constexpr std::uint64_t kLongestComment = 65535;
constexpr std::uint64_t kLargestDirectory = 64'000'000; ///< bytes
constexpr std::uint16_t kSizes64 = 1;                   ///< id of the extra field with 64-bit numbers

Error notZip(const RandomAccessFile& file, const std::string& reason)
{
    return {ErrorCode::BadModel, reason, file.path().string(), "Fetch or copy the file again"};
}

/// A part of the file with the numbers in it.
class Part
{
public:
    explicit Part(std::vector<std::byte> bytes)
        : m_bytes(std::move(bytes))
    {}

    std::size_t size() const { return m_bytes.size(); }
    bool has(std::size_t at, std::size_t count) const
    {
        return at <= m_bytes.size() && count <= m_bytes.size() - at;
    }
    std::uint64_t number(std::size_t at, std::size_t count) const
    {
        CHECK(has(at, count), "inside the part");
        return littleEndian(std::span(m_bytes).subspan(at, count));
    }
    std::string text(std::size_t at, std::size_t count) const
    {
        CHECK(has(at, count), "inside the part");
        return {reinterpret_cast<const char*>(m_bytes.data()) + at, count};
    }

private:
    std::vector<std::byte> m_bytes;
};

Result<Part> partAt(const RandomAccessFile& file, std::uint64_t position, std::uint64_t count)
{
    if (position > file.size() || count > file.size() - position)
        return notZip(file, "the container is cut off, or its directory points outside");
    std::vector<std::byte> bytes(count);
    TRY_STATUS(file.read(position, bytes));
    return Part(std::move(bytes));
}

/// Where the directory of records is.
struct Directory
{
    std::uint64_t records = 0, begin = 0, bytes = 0;
};

Result<Directory> directoryOf(const RandomAccessFile& file)
{
    const auto tailBytes = std::min<std::uint64_t>(file.size(), kEndBytes + kLongestComment);
    const auto tailBegin = file.size() - tailBytes;
    TRY(const auto tail, partAt(file, tailBegin, tailBytes));
    std::optional<std::size_t> end;
    for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; !end && at-- > 0;)
        if (tail.number(at, 4) == kEnd)
            end = at;
    if (!end)
        return notZip(file, "the container has no end record: it is cut off, or no file of torch");
    Directory directory{tail.number(*end + 10, 2), tail.number(*end + 16, 4), tail.number(*end + 12, 4)};
    const bool wide =
        directory.records == 0xffff || directory.begin == 0xffffffff || directory.bytes == 0xffffffff;
    if (!wide)
        return directory;
    if (tailBegin + *end < kLocator64Bytes)
        return notZip(file, "the container's 64-bit directory is missing");
    TRY(const auto locator, partAt(file, tailBegin + *end - kLocator64Bytes, kLocator64Bytes));
    if (locator.number(0, 4) != kLocator64)
        return notZip(file, "the container's 64-bit directory is missing");
    TRY(const auto end64, partAt(file, locator.number(8, 8), kEnd64Bytes));
    if (end64.number(0, 4) != kEnd64)
        return notZip(file, "the container's 64-bit directory is damaged");
    return Directory{end64.number(32, 8), end64.number(48, 8), end64.number(40, 8)};
}

/// A row of the directory.
struct Record
{
    std::string name;
    std::uint64_t packed = 0, size = 0, header = 0;
    std::size_t bytes = 0; ///< of the row
};

/// Replaces the numbers that did not fit in 32 bits; they stand in this order, only those that did not.
bool readWideNumbers(const Part& part, std::size_t at, std::size_t end, Record& record)
{
    while (end - at >= 4) {
        const auto id = part.number(at, 2);
        const auto count = static_cast<std::size_t>(part.number(at + 2, 2));
        at += 4;
        if (count > end - at)
            return false;
        if (id == kSizes64) {
            const auto fieldEnd = at + count;
            for (auto* number : {&record.size, &record.packed, &record.header}) {
                if (*number != 0xffffffff)
                    continue;
                if (fieldEnd - at < 8)
                    return false;
                *number = part.number(at, 8);
                at += 8;
            }
            return true;
        }
        at += count;
    }
    return record.size != 0xffffffff && record.packed != 0xffffffff && record.header != 0xffffffff;
}

Result<Record> recordAt(const RandomAccessFile& file, const Part& directory, std::size_t at)
{
    if (!directory.has(at, kCentralBytes) || directory.number(at, 4) != kCentral)
        return notZip(file, "the container's directory is damaged");
    const auto nameBytes = static_cast<std::size_t>(directory.number(at + 28, 2));
    const auto extraBytes = static_cast<std::size_t>(directory.number(at + 30, 2));
    const auto commentBytes = static_cast<std::size_t>(directory.number(at + 32, 2));
    Record record;
    record.bytes = kCentralBytes + nameBytes + extraBytes + commentBytes;
    if (!directory.has(at, record.bytes))
        return notZip(file, "the container's directory is cut off");
    record.name = directory.text(at + kCentralBytes, nameBytes);
    record.packed = directory.number(at + 20, 4);
    record.size = directory.number(at + 24, 4);
    record.header = directory.number(at + 42, 4);
    const auto extra = at + kCentralBytes + nameBytes;
    if (!readWideNumbers(directory, extra, extra + extraBytes, record))
        return notZip(file, fmt::format("the record {} has a damaged size", record.name));
    const bool encrypted = (directory.number(at + 8, 2) & 1U) != 0;
    if (encrypted || directory.number(at + 10, 2) != 0 || record.packed != record.size)
        return notZip(file,
                      fmt::format("the record {} is packed; torch stores records as they are", record.name));
    return record;
}

/// The bytes begin behind a header that repeats the name and has padding of its own.
Result<FileRange> contentOf(const RandomAccessFile& file, const Record& record)
{
    TRY(const auto local, partAt(file, record.header, kLocalBytes));
    if (local.number(0, 4) != kLocal)
        return notZip(file, fmt::format("the record {} is not where the directory says", record.name));
    const auto begin = record.header + kLocalBytes + local.number(26, 2) + local.number(28, 2);
    if (begin > file.size() || record.size > file.size() - begin)
        return notZip(file, fmt::format("the record {} reaches behind the end of the file", record.name));
    return FileRange{begin, begin + record.size};
}

} // namespace

Result<std::map<std::string, FileRange, std::less<>>> readZipIndex(const RandomAccessFile& file)
{
    TRY(const auto place, directoryOf(file));
    if (place.bytes > kLargestDirectory || place.records > place.bytes / kCentralBytes)
        return notZip(file, fmt::format("the container's directory of {} records in {} bytes is not possible",
                                        place.records, place.bytes));
    TRY(const auto directory, partAt(file, place.begin, place.bytes));
    std::map<std::string, FileRange, std::less<>> index;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < place.records; ++i) {
        TRY(auto record, recordAt(file, directory, at));
        TRY(const auto range, contentOf(file, record));
        at += record.bytes;
        if (!index.emplace(record.name, range).second)
            return notZip(file, fmt::format("the container has two records {}", record.name));
    }
    return index;
}

} // namespace assay
