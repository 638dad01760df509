#pragma once

#include "core/text/pipeline/component.h"
#include "core/text/pipeline/normalizers/normalizer.h"
#include "core/text/unicode/aligned_text.h"
#include "core/text/vocabulary/byte_pieces.h"
#include "core/text/vocabulary/vocabulary.h"

#include <array>
#include <map>

namespace assay {

/// A token that is looked for before anything else is done to a text.
struct AddedToken
{
    TokenId id = 0;
    std::string content;
    bool singleWord = false; ///< not inside a word
    bool leftStrip = false;  ///< takes the white space before it
    bool rightStrip = false;
    bool normalized = false; ///< looked for in the normalised text
    bool special = false;    ///< plain text, where special tokens are not parsed
};

/// A part of a text: a token, or text between tokens.
struct AddedSplit
{
    ByteRange range;
    std::optional<TokenId> token;
};

/// The added tokens of a tokenizer. At one place the longest is found.
class AddedTokens
{
public:
    /// Errors: BadModel for one without content, and for two that say the same with different ids.
    Status add(AddedToken token);
    /// Prepares the search; `normalizer` may be null.
    void finish(const Normalizer* normalizer);

    /// Cuts `text`. `normalized` looks for the tokens that are matched after normalisation.
    std::vector<AddedSplit> split(std::string_view text, bool normalized, bool parseSpecial) const;

    const std::map<TokenId, AddedToken>& all() const { return m_tokens; }
    const AddedToken* find(TokenId id) const;
    std::optional<TokenId> find(std::string_view content) const;

private:
    /// The spellings that are looked for in one kind of text.
    struct Search
    {
        std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>> ids;
        std::array<std::vector<std::size_t>, 256> lengths; ///< [first byte], descending
    };
    struct Found
    {
        const AddedToken* token = nullptr;
        std::size_t bytes = 0;
    };
    std::optional<Found> foundAt(const Search& search, std::string_view text, std::size_t at) const;

    std::map<TokenId, AddedToken> m_tokens;
    std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>> m_idOfContent;
    Search m_raw, m_normalized;
};

/// One entry of `added_tokens`. Errors: BadModel.
Result<AddedToken> addedTokenFrom(const Component& component, std::int64_t id);

} // namespace assay
