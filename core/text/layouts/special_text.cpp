#include "core/text/layouts/special_text.h"

#include <string>

namespace assay {

namespace {

struct Found
{
    std::size_t begin = std::string_view::npos;
    TokenId id = 0;
    std::string spelling;
};

/// The first special spelling in `text`; of two at one place the longer.
Found firstSpecial(const Tokenizer& tokenizer, std::string_view text)
{
    const auto& special = tokenizer.special();
    Found first;
    for (const auto id : {special.bos, special.eos, special.unk, special.pad}) {
        if (!id)
            continue;
        auto spelling = tokenizer.piece(*id);
        const auto begin = spelling.empty() ? std::string_view::npos : text.find(spelling);
        if (begin < first.begin || (begin == first.begin && spelling.size() > first.spelling.size()))
            first = {begin, *id, std::move(spelling)};
    }
    return first;
}

} // namespace

std::vector<TokenPiece> encodeWithSpecial(const Tokenizer& tokenizer, std::string_view text)
{
    std::vector<TokenPiece> pieces;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto special = firstSpecial(tokenizer, text.substr(at));
        const auto plain = text.substr(at, special.begin);
        const auto base = static_cast<std::int32_t>(at);
        if (!plain.empty()) {
            for (auto piece : tokenizer.encodeWithOffsets(plain)) {
                piece.begin += base;
                piece.end += base;
                pieces.push_back(std::move(piece));
            }
        }
        at += plain.size();
        if (special.begin == std::string_view::npos)
            break;
        const auto end = at + special.spelling.size();
        pieces.push_back(
            {special.id, special.spelling, static_cast<std::int32_t>(at), static_cast<std::int32_t>(end)});
        at = end;
    }
    return pieces;
}

} // namespace assay
