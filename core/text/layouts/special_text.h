#pragma once

#include "core/text/tokenizer.h"

#include <string_view>
#include <vector>

namespace assay {

/// Encodes text in which the spellings of BOS, EOS, UNK and PAD stand for these tokens: the text is cut at
/// them and every piece between is encoded alone. Offsets are those of the whole text.
std::vector<TokenPiece> encodeWithSpecial(const Tokenizer& tokenizer, std::string_view text);

} // namespace assay
