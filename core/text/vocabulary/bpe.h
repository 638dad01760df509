#pragma once

#include "core/text/vocabulary/token_model.h"

#include <string>
#include <vector>

namespace assay {

/// How byte-pair encoding begins and what it does with what it does not know.
struct BpeOptions
{
    /// Words are bytes, which the vocabulary spells in the byte alphabet; else words are characters.
    bool byteLevel = false;
    bool byteFallback = false; ///< unknown characters become pieces <0x00> to <0xFF>
    bool ignoreMerges = false; ///< a word that is a piece is that piece
    bool fuseUnknown = false;
    std::optional<std::string> unknown;
    std::string continuingPrefix; ///< before every character of a word but the first
    std::string endSuffix;        ///< behind the last character of a word
};

/// Two pieces that become one; the lowest rank first, of equal ones the leftmost.
struct BpeMerge
{
    std::string left, right;
    std::int32_t rank = 0;
};

/// Byte-pair encoding.
/// Errors: BadModel for a merge or an unknown piece that the vocabulary lacks.
Result<TokenModelPtr> makeBpe(Vocabulary vocabulary, const std::vector<BpeMerge>& merges, BpeOptions options);

} // namespace assay
