#include "core/text/unicode/code_points.h"

namespace assay {

namespace {

constexpr char32_t kReplacement = 0xfffd;

/// What the first byte of a character says: its length and the values that the second byte may have.
struct Lead
{
    std::uint8_t bytes = 0; ///< 0 = begins no character
    std::uint8_t low = 0x80, high = 0xbf;
};

Lead leadOf(std::uint8_t byte)
{
    if (byte < 0x80)
        return {1};
    if (byte >= 0xc2 && byte <= 0xdf)
        return {2};
    if (byte == 0xe0)
        return {3, 0xa0};
    if (byte == 0xed)
        return {3, 0x80, 0x9f};
    if (byte >= 0xe1 && byte <= 0xef)
        return {3};
    if (byte == 0xf0)
        return {4, 0x90};
    if (byte == 0xf4)
        return {4, 0x80, 0x8f};
    return byte >= 0xf1 && byte <= 0xf3 ? Lead{4} : Lead{};
}

/// Bytes at `at` that fit a character, at most its length; fewer when it breaks off.
std::uint8_t fittingBytes(std::string_view text, std::size_t at, Lead lead)
{
    std::uint8_t count = 1;
    for (; count < lead.bytes && at + count < text.size(); ++count) {
        const auto byte = static_cast<std::uint8_t>(text[at + count]);
        const bool second = count == 1;
        if (byte < (second ? lead.low : 0x80) || byte > (second ? lead.high : 0xbf))
            break;
    }
    return count;
}

} // namespace

CodePoint codePointAt(std::string_view text, std::size_t at)
{
    const auto first = static_cast<std::uint8_t>(text[at]);
    if (first < 0x80)
        return {first, 1};
    const auto lead = leadOf(first);
    if (lead.bytes == 0 || fittingBytes(text, at, lead) < lead.bytes)
        return {kReplacement, 1};
    char32_t value = first & (0x7fU >> lead.bytes);
    for (std::size_t i = 1; i < lead.bytes; ++i)
        value = value << 6 | (static_cast<std::uint8_t>(text[at + i]) & 0x3fU);
    return {value, lead.bytes};
}

CodePoint codePointBefore(std::string_view text, std::size_t end)
{
    auto at = end - 1;
    while (at > 0 && end - at < 4 && (static_cast<std::uint8_t>(text[at]) & 0xc0) == 0x80)
        --at;
    return codePointAt(text, at);
}

void appendCodePoint(std::string& text, char32_t value)
{
    const auto put = [&text](std::uint32_t byte) {
        text += static_cast<char>(static_cast<unsigned char>(byte));
    };
    if (value < 0x80) {
        put(value);
    } else if (value < 0x800) {
        put(0xc0 | value >> 6);
        put(0x80 | (value & 0x3f));
    } else if (value < 0x10000) {
        put(0xe0 | value >> 12);
        put(0x80 | (value >> 6 & 0x3f));
        put(0x80 | (value & 0x3f));
    } else {
        put(0xf0 | value >> 18);
        put(0x80 | (value >> 12 & 0x3f));
        put(0x80 | (value >> 6 & 0x3f));
        put(0x80 | (value & 0x3f));
    }
}

std::string toValidUtf8(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const auto lead = leadOf(static_cast<std::uint8_t>(bytes[at]));
        const auto count = lead.bytes == 0 ? std::uint8_t{1} : fittingBytes(bytes, at, lead);
        if (lead.bytes != 0 && count == lead.bytes)
            text += bytes.substr(at, count);
        else
            appendCodePoint(text, kReplacement);
        at += count;
    }
    return text;
}

std::size_t countCodePoints(std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += codePointAt(text, at).bytes)
        ++count;
    return count;
}

} // namespace assay
