#pragma once

#include <optional>
#include <string_view>

namespace assay {

/// Byte position of the first fault (overlong forms, surrogates and values above U+10FFFF count), empty if
/// there is none.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);
inline bool isUtf8(std::string_view text)
{
    return !firstInvalidUtf8(text);
}

} // namespace assay
