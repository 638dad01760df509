#pragma once

#include "core/text/layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

/// How rows reach the backbone. All four give the same scores and gradients.
enum class Execution {
    Merged, ///< sequences that begin with the same tokens share them (trie)
    Packed, ///< one segment per sequence, no padding
    Padded, ///< a rectangle with padding, as the usual trainers do; the reference for the others
    Single  ///< one sequence at a time
};

std::optional<Execution> executionFromName(std::string_view name);
std::string_view executionName(Execution execution);

/// A node of the trie: tokens [begin, end) of the flat arrays. It attends to itself causally and to all
/// ancestors.
struct Segment
{
    std::int32_t parent = -1; ///< index of a segment before this one, -1 = root
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t subtreeEnd =
        0; ///< depth-first order makes the descendants the contiguous range [end, subtreeEnd)
    std::int32_t depth = 0; ///< 0 = root
};

/// Part of a sequence: its tokens [begin, begin + length) lie at flat position `flat` and after.
struct SequencePiece
{
    std::int32_t begin = 0;
    std::int32_t flat = 0;
    std::int32_t length = 0;
};

/// Sequences as packed tokens with a tree over them; nothing is padded. Immutable after building.
struct SegmentForest
{
    std::vector<TokenId> ids; ///< [tokens]
    std::vector<std::int32_t>
        positions; ///< [tokens], along the path from the root, plus the sequence's offset
    std::vector<std::uint8_t> tokenTypes;          ///< [tokens]; empty = all zero
    std::vector<Segment> segments;                 ///< depth-first
    std::vector<std::vector<SequencePiece>> paths; ///< [sequences], root first
    std::int64_t sequenceTokens =
        0; ///< sum of the sequence lengths; tokens() is smaller where beginnings are shared

    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
    /// Flat position of token `position` of a sequence.
    std::int32_t flat(std::int32_t sequence, std::int32_t position) const;
};

/// Sharing fewer tokens than this costs more (one attention part per tree level) than it saves. Measured with
/// `tests/train/bench_forest`: two rows break even at about 28 shared tokens (width 128, float32), 48
/// (bfloat16) and 10 (width 512); eight rows at 8 to 20. Tests use 1.
inline constexpr std::int32_t kMinimumSharedTokens = 32;

/// Builds the forest. `minimumShared` counts the tokens of one node; 0 never merges (packed).
SegmentForest buildForest(std::span<const Sequence* const> sequences, std::int32_t minimumShared);

} // namespace assay
