#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay {

constexpr std::int64_t kMaximumIds = std::int64_t{1} << 22; ///< of a vocabulary with its added tokens

/// Pieces and their ids, both ways. Ids may have gaps.
class Vocabulary
{
public:
    /// Errors: BadModel for ids below 0 or absurdly large, and for a piece or an id that is there twice.
    Status add(std::string_view piece, std::int64_t id);
    std::optional<TokenId> find(std::string_view piece) const;
    /// Empty where there is no such id.
    std::string_view piece(TokenId id) const;
    bool has(TokenId id) const;
    /// One more than the largest id.
    std::int32_t size() const { return static_cast<std::int32_t>(m_pieces.size()); }
    std::size_t count() const { return m_ids.size(); }

private:
    std::deque<std::string> m_texts; // the views below point into it
    std::vector<std::string_view> m_pieces;
    std::unordered_map<std::string_view, TokenId> m_ids;
};

} // namespace assay
