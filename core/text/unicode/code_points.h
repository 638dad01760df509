#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// A character of UTF-8 text and the bytes it takes.
struct CodePoint
{
    char32_t value = 0;
    std::uint8_t bytes = 1;
};

/// The character at byte `at` (inside the text). A byte that begins no valid character is U+FFFD, one byte
/// long.
CodePoint codePointAt(std::string_view text, std::size_t at);
/// The character that ends before byte `end` (above 0) of valid text.
CodePoint codePointBefore(std::string_view text, std::size_t end);
void appendCodePoint(std::string& text, char32_t value);
/// The text with U+FFFD for every maximal part that is no UTF-8, as Rust's and Python's decoders write it.
std::string toValidUtf8(std::string_view bytes);
std::size_t countCodePoints(std::string_view text);

} // namespace assay
