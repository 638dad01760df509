#include "core/text/vocabulary/byte_pieces.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {

std::vector<TokenId> BytePieces::of(std::string_view text) const
{
    std::vector<TokenId> found;
    for (const char byte : text) {
        const auto& id = ids[static_cast<unsigned char>(byte)];
        if (!id)
            return {};
        found.push_back(*id);
    }
    return found;
}

BytePieces findBytePieces(const Vocabulary& vocabulary)
{
    BytePieces pieces;
    for (int byte = 0; byte < 256; ++byte)
        pieces.ids[static_cast<std::size_t>(byte)] = vocabulary.find(fmt::format("<0x{:02X}>", byte));
    return pieces;
}

std::optional<unsigned char> byteOfPiece(std::string_view piece)
{
    if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>'))
        return std::nullopt;
    unsigned value = 0;
    const auto [end, code] = std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
    return code == std::errc() && end == piece.data() + 5 ? std::optional(static_cast<unsigned char>(value))
                                                          : std::nullopt;
}

} // namespace assay
