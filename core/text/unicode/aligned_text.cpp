#include "core/text/unicode/aligned_text.h"

#include "core/base/utf8.h"
#include "core/text/unicode/code_points.h"
#include "core/text/unicode/text_faults.h"

#include <algorithm>
#include <limits>

namespace assay {

namespace {

constexpr std::int64_t kMaximumGrowth = 32;
constexpr std::int64_t kAlwaysAllowedBytes = 65536;

std::int32_t limitFor(std::size_t bytes)
{
    const auto grown = static_cast<std::int64_t>(bytes) * kMaximumGrowth;
    return static_cast<std::int32_t>(
        std::clamp(grown, kAlwaysAllowedBytes, std::int64_t{std::numeric_limits<std::int32_t>::max()}));
}

} // namespace

AlignedText::AlignedText(std::string_view part, std::int32_t offset, bool tracked)
    : m_limit(limitFor(part.size()))
    , m_offset(offset)
    , m_tracked(tracked)
{
    const bool valid = isUtf8(part);
    if (valid)
        m_text = part;
    if (valid && !tracked)
        return;
    for (std::size_t at = 0; at < part.size();) {
        const auto character = codePointAt(part, at);
        const auto written = m_text.size();
        if (!valid)
            appendCodePoint(m_text, character.value);
        const auto begin = offset + static_cast<std::int32_t>(at);
        if (tracked)
            m_origin.insert(m_origin.end(), valid ? character.bytes : m_text.size() - written,
                            {begin, begin + character.bytes});
        at += character.bytes;
    }
}

bool AlignedText::takes(std::size_t bytes)
{
    if (m_text.size() + bytes <= static_cast<std::size_t>(m_limit))
        return true;
    m_overflowed = true;
    TextFaults::report("the normaliser of the tokenizer makes this text more than " +
                       std::to_string(kMaximumGrowth) + " times as long, and what is beyond is left out");
    return false;
}

ByteRange AlignedText::origin(ByteRange range) const
{
    if (!m_tracked)
        return {};
    return {m_origin[static_cast<std::size_t>(range.begin)].begin,
            m_origin[static_cast<std::size_t>(range.end) - 1].end};
}

AlignedText AlignedText::slice(ByteRange range) const
{
    AlignedText part(*this, nullptr);
    part.m_text =
        m_text.substr(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
    if (m_tracked && range.size() > 0) {
        part.m_origin.assign(m_origin.begin() + range.begin, m_origin.begin() + range.end);
        part.m_offset = part.m_origin.front().begin;
    } else if (range.begin > 0) {
        part.m_offset = std::max(m_offset, 1); // only whether a text stands at the very beginning matters
    }
    return part;
}

void AlignedText::transform(std::span<const ChangedCharacter> characters)
{
    AlignedText result(*this, nullptr);
    result.m_text.reserve(m_text.size());
    std::size_t at = 0;
    const auto skip = [&] {
        if (at < m_text.size())
            at += codePointAt(m_text, at).bytes;
    };
    for (const auto& character : characters) {
        if (!result.takes(4))
            break;
        const auto written = result.m_text.size();
        appendCodePoint(result.m_text, character.value);
        if (m_tracked) {
            const auto source = character.change > 0 && at > 0 ? at - 1 : std::min(at, m_text.size() - 1);
            result.m_origin.insert(result.m_origin.end(), result.m_text.size() - written, m_origin[source]);
        }
        for (auto i = character.change; i <= 0; ++i)
            skip();
    }
    *this = std::move(result);
}

void AlignedBuilder::keep(ByteRange range)
{
    if (!m_result.takes(static_cast<std::size_t>(range.size())))
        return;
    m_result.m_text +=
        m_source.view().substr(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
    if (m_source.m_tracked)
        m_result.m_origin.insert(m_result.m_origin.end(), m_source.m_origin.begin() + range.begin,
                                 m_source.m_origin.begin() + range.end);
}

void AlignedBuilder::put(std::string_view text, std::int32_t sourceByte)
{
    if (!m_result.takes(text.size()))
        return;
    m_result.m_text += text;
    if (m_source.m_tracked)
        m_result.m_origin.insert(m_result.m_origin.end(), text.size(),
                                 m_source.m_origin[static_cast<std::size_t>(sourceByte)]);
}

} // namespace assay
