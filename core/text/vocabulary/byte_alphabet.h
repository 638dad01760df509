#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// The characters that GPT-2 and its successors write for bytes: every byte is printable.
char32_t byteCharacter(unsigned char byte);
/// The bytes that a piece of such a vocabulary stands for; none if a character of it stands for no byte.
std::optional<std::string> pieceBytes(std::string_view piece);
/// How such a vocabulary spells these bytes.
std::string spellBytes(std::string_view bytes);

} // namespace assay
