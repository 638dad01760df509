#pragma once

#include "core/text/tokenizer.h"

namespace assay::tests {

/// One id per byte; BOS, EOS and UNK are spelled <>, </> and <?>, and stand apart from the bytes.
class CharacterTokenizer : public Tokenizer
{
public:
    static constexpr TokenId kBos = 256, kEos = 257, kUnk = 258;

    /// "^" for BOS, "$" for EOS, the character of every other id.
    static std::string spelled(TokenId id)
    {
        return id == kBos ? "^" : id == kEos ? "$" : std::string(1, static_cast<char>(id));
    }

    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        for (const char c : text)
            ids.push_back(static_cast<unsigned char>(c));
        return ids;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        std::vector<TokenPiece> pieces;
        for (const auto id : encode(text)) {
            const auto at = static_cast<std::int32_t>(pieces.size());
            pieces.push_back({id, piece(id), at, at + 1});
        }
        return pieces;
    }
    std::string decode(std::span<const TokenId> ids) const override
    {
        std::string text;
        for (const auto id : ids)
            text += piece(id);
        return text;
    }
    std::string piece(TokenId id) const override
    {
        if (id == kUnk)
            return "<?>";
        return id == kBos ? "<>" : id == kEos ? "</>" : spelled(id);
    }
    std::int32_t vocabularySize() const override { return kUnk + 1; }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_name; }
    std::pair<std::string, std::string> file() const override { return {m_name, ""}; }

private:
    SpecialTokens m_special{kBos, kEos, {}, kUnk};
    std::string m_name = "characters";
};

} // namespace assay::tests
