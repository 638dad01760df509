#pragma once

#include "core/text/unicode/characters.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Bytes [begin, end) of a text.
struct ByteRange
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t size() const { return end - begin; }
    bool operator==(const ByteRange&) const = default;
};

/// Text on its way from the original to tokens. Every byte knows the character of the original that it stands
/// for; without tracking nobody pays for that, and origins are empty ranges.
/// However many components change it one after another, it never has more than `sizeLimit` bytes: what would
/// be written beyond them is left out, which is one of the TextFaults.
class AlignedText
{
public:
    /// `part` stands at byte `offset` of the original.
    AlignedText(std::string_view part, std::int32_t offset, bool tracked);

    std::string_view view() const { return m_text; }
    std::int32_t size() const { return static_cast<std::int32_t>(m_text.size()); }
    bool empty() const { return m_text.empty(); }
    bool tracked() const { return m_tracked; }
    /// 32 times the bytes that the original part had, and at least 64 KiB: Unicode's own forms stay below 12
    /// times.
    std::int32_t sizeLimit() const { return m_limit; }
    /// Whether something was left out.
    bool overflowed() const { return m_overflowed; }
    /// Byte of the original where the text began before any change.
    std::int32_t offset() const { return m_offset; }
    /// What the bytes [begin, end) stand for in the original; not empty.
    ByteRange origin(ByteRange range) const;
    /// The bytes of `range` alone.
    AlignedText slice(ByteRange range) const;

    /// Replaces all characters by `characters`, whose changes count characters of this text.
    void transform(std::span<const ChangedCharacter> characters);

private:
    friend class AlignedBuilder;
    /// Nothing yet of what `source` becomes.
    explicit AlignedText(const AlignedText& source, std::nullptr_t)
        : m_limit(source.m_limit)
        , m_offset(source.m_offset)
        , m_tracked(source.m_tracked)
        , m_overflowed(source.m_overflowed)
    {}
    /// Whether so many bytes more are taken.
    bool takes(std::size_t bytes);

    std::string m_text;
    std::vector<ByteRange> m_origin; ///< [bytes] when tracked
    std::int32_t m_limit = 0;
    std::int32_t m_offset = 0;
    bool m_tracked = false;
    bool m_overflowed = false;
};

/// Writes a changed text from pieces of another.
class AlignedBuilder
{
public:
    explicit AlignedBuilder(const AlignedText& source)
        : m_source(source)
        , m_result(source, nullptr)
    {
        m_result.m_text.reserve(source.m_text.size() + 8);
    }

    /// Bytes `range` of the source as they are.
    void keep(ByteRange range);
    /// Text that stands for what byte `sourceByte` of the source stands for.
    void put(std::string_view text, std::int32_t sourceByte);
    std::int32_t size() const { return m_result.size(); }
    AlignedText finish() { return std::move(m_result); }

private:
    const AlignedText& m_source;
    AlignedText m_result;
};

} // namespace assay
