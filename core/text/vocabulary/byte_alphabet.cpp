#include "core/text/vocabulary/byte_alphabet.h"

#include "core/text/unicode/code_points.h"

#include <array>

namespace assay {

namespace {

constexpr char32_t kBeyond = 0x100; // where the characters of unprintable bytes begin
constexpr int kBytes = 256;

struct Alphabet
{
    std::array<char32_t, kBytes> character{};
    std::array<int, 2 * kBytes> byte{}; ///< [character], -1 = stands for none
};

constexpr Alphabet makeAlphabet()
{
    Alphabet alphabet;
    for (auto& byte : alphabet.byte)
        byte = -1;
    char32_t next = kBeyond;
    for (int byte = 0; byte < kBytes; ++byte) {
        const bool printable =
            (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
        const auto character = printable ? static_cast<char32_t>(byte) : next++;
        alphabet.character[static_cast<std::size_t>(byte)] = character;
        alphabet.byte[character] = byte;
    }
    return alphabet;
}

constexpr Alphabet kAlphabet = makeAlphabet();

} // namespace

char32_t byteCharacter(unsigned char byte)
{
    return kAlphabet.character[byte];
}

std::optional<std::string> pieceBytes(std::string_view piece)
{
    std::string bytes;
    for (std::size_t at = 0; at < piece.size();) {
        const auto character = codePointAt(piece, at);
        const int byte = character.value < kAlphabet.byte.size() ? kAlphabet.byte[character.value] : -1;
        if (byte < 0)
            return std::nullopt;
        bytes += static_cast<char>(static_cast<unsigned char>(byte));
        at += character.bytes;
    }
    return bytes;
}

std::string spellBytes(std::string_view bytes)
{
    std::string piece;
    for (const char byte : bytes)
        appendCodePoint(piece, byteCharacter(static_cast<unsigned char>(byte)));
    return piece;
}

} // namespace assay
