#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <array>

namespace assay {

/// Ids of the pieces <0x00> to <0xFF>, by which sentencepiece-like vocabularies spell what they lack.
struct BytePieces
{
    std::array<std::optional<TokenId>, 256> ids;

    /// One id for each byte; none if a piece is missing.
    std::vector<TokenId> of(std::string_view text) const;
};

BytePieces findBytePieces(const Vocabulary& vocabulary);
/// The byte that a piece such as <0x0A> stands for.
std::optional<unsigned char> byteOfPiece(std::string_view piece);

/// Lets maps of strings be asked for views.
struct StringHash
{
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

} // namespace assay
