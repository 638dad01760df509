#pragma once

#include "core/base/check.h"
#include "core/text/tokenizer.h"

#include <map>

namespace assay::tests {

/// A tokenizer that knows the texts of a table and nothing else.
class ToyTokenizer : public Tokenizer
{
public:
    ToyTokenizer(std::map<std::string, std::vector<TokenId>, std::less<>> table, SpecialTokens special)
        : m_table(std::move(table))
        , m_special(special)
    {}

    std::vector<TokenId> encode(std::string_view text) const override
    {
        const auto found = m_table.find(text);
        CHECK(found != m_table.end(), text);
        return found->second;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        std::vector<TokenPiece> pieces;
        for (const auto id : encode(text))
            pieces.push_back({id, piece(id), 0, static_cast<std::int32_t>(text.size())});
        return pieces;
    }
    std::string decode(std::span<const TokenId> ids) const override
    {
        std::string text;
        for (const auto id : ids)
            text += piece(id);
        return text;
    }
    std::string piece(TokenId id) const override { return "<" + std::to_string(id) + ">"; }
    std::int32_t vocabularySize() const override { return 1 << 16; }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_fingerprint; }
    std::pair<std::string, std::string> file() const override { return {"toy.model", ""}; }

private:
    std::map<std::string, std::vector<TokenId>, std::less<>> m_table;
    SpecialTokens m_special;
    std::string m_fingerprint = "toy";
};

} // namespace assay::tests
