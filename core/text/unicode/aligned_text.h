#pragma once

#include "core/text/unicode/characters.h"

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
class AlignedText
{
public:
    /// `part` stands at byte `offset` of the original.
    AlignedText(std::string_view part, std::int32_t offset, bool tracked);

    std::string_view view() const { return m_text; }
    std::int32_t size() const { return static_cast<std::int32_t>(m_text.size()); }
    bool empty() const { return m_text.empty(); }
    bool tracked() const { return m_tracked; }
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
    AlignedText(std::int32_t offset, bool tracked)
        : m_offset(offset)
        , m_tracked(tracked)
    {}

    std::string m_text;
    std::vector<ByteRange> m_origin; ///< [bytes] when tracked
    std::int32_t m_offset = 0;
    bool m_tracked = false;
};

/// Writes a changed text from pieces of another.
class AlignedBuilder
{
public:
    explicit AlignedBuilder(const AlignedText& source)
        : m_source(source)
        , m_result(source.m_offset, source.m_tracked)
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
