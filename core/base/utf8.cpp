#include "core/base/utf8.h"

#include <cstdint>

namespace assay {

namespace {

/// Bytes of the character at the start of `text`, 0 if it is not valid.
std::size_t characterBytes(std::string_view text)
{
    const auto byte = [&text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size)
        return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const auto second = byte(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool tooLarge = first == 0xf4 && second >= 0x90;
    return overlong || surrogate || tooLarge ? 0 : size;
}

} // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    std::size_t position = 0;
    while (position < text.size()) {
        const auto size = characterBytes(text.substr(position));
        if (size == 0)
            return position;
        position += size;
    }
    return {};
}

} // namespace assay
