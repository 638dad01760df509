#include "core/text/pipeline/normalizers/base64.h"

#include <cstdint>

namespace assay {

namespace {

/// The six bits of a digit, -1 for what is none.
int digitOf(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

} // namespace

std::optional<std::string> decodeBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=')
        ++padding;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool pad = i + padding >= text.size();
        const int digit = pad ? 0 : digitOf(text[i]);
        if (digit < 0)
            return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (i % 4 != 3)
            continue;
        for (int shift = 16; shift >= 0; shift -= 8)
            bytes += static_cast<char>(static_cast<unsigned char>(bits >> shift));
        bits = 0;
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

} // namespace assay
