#include "core/data/stream/row_table.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace assay {

namespace {

constexpr std::int64_t kPiecePlaces = 1024;

static_assert(sizeof(RowPlace) == 64);

std::array<std::uint8_t, 16> fromHex(std::string_view text)
{
    std::array<std::uint8_t, 16> bytes{};
    CHECK(text.size() == 2 * bytes.size(), "an id is 32 hexadecimal characters");
    for (std::size_t i = 0; i < bytes.size(); ++i)
        std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
    return bytes;
}

std::string toHex(const std::array<std::uint8_t, 16>& bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

} // namespace

RowKey RowPlace::key() const
{
    return {toHex(id), toHex(group), row};
}

Result<RowTable> RowTable::create(const std::filesystem::path& folder)
{
    TRY(auto file, ScratchFile::create(folder));
    return RowTable(std::move(file));
}

Status RowTable::add(const Example& example, RowPlace place)
{
    place.row = example.row;
    place.id = fromHex(example.id);
    place.group = fromHex(example.group);
    m_waiting.push_back(place);
    ++m_size;
    return std::ssize(m_waiting) < kPiecePlaces ? Status() : finish();
}

Status RowTable::finish()
{
    TRY_STATUS(m_file.append(std::as_bytes(std::span(m_waiting))));
    m_waiting.clear();
    return {};
}

Result<RowPlace> RowTable::at(std::int64_t index) const
{
    CHECK(index >= 0 && index < m_size, "row outside the data set");
    const auto begin = index / kPiecePlaces * kPiecePlaces;
    const std::lock_guard lock(m_piece->mutex);
    if (m_piece->begin != begin) {
        m_piece->begin = -1;
        m_piece->places.resize(static_cast<std::size_t>(std::min(kPiecePlaces, m_size - begin)));
        TRY_STATUS(m_file.read(static_cast<std::uint64_t>(begin) * sizeof(RowPlace),
                               std::as_writable_bytes(std::span(m_piece->places))));
        m_piece->begin = begin;
    }
    return m_piece->places[static_cast<std::size_t>(index - begin)];
}

} // namespace assay
