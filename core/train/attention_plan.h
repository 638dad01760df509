#pragma once

#include "core/train/segment_forest.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace assay {

/// Queries [queryBegin, queryEnd) attend to keys [keyBegin, keyEnd); causal parts have equal ranges.
struct AttentionPart
{
    std::int32_t queryBegin = 0, queryEnd = 0;
    std::int32_t keyBegin = 0, keyEnd = 0;
    bool causal = false;
    std::int32_t queries() const { return queryEnd - queryBegin; }
    std::int32_t keys() const { return keyEnd - keyBegin; }
};

/// Small parts of one level, padded to a common size and computed in one batched product. Query rows are
/// disjoint inside a batch, and so are key rows: gradients need no atomic additions.
struct AttentionBatch
{
    std::int32_t parts = 0, queries = 0, keys = 0; ///< [parts, queries] x [parts, keys]
    std::vector<std::int64_t> queryRows;           ///< [parts * queries], flat token; padding repeats row 0
    std::vector<std::int64_t> keyRows;             ///< [parts * keys]
    std::vector<std::int64_t> queryValid;          ///< indices into queryRows that are real
    std::vector<std::int64_t> keyValid;
    std::vector<std::uint8_t> allowed; ///< [parts, queries, keys]; padded query rows see key 0 only
    bool full = false;                 ///< nothing is padded: every query and key row is real
};

/// A step of the plan: one large part for the fused kernel, or a batch of small ones.
struct AttentionStep
{
    bool batched = false;
    AttentionPart part;
    AttentionBatch batch;
};

/// How attention over a forest is computed: parts level by level, merged by their log-sum-exp.
struct AttentionPlan
{
    std::vector<AttentionStep> steps;
    std::int64_t tokens = 0;
    std::int64_t longestPath = 0; ///< tokens from a root to the end of its deepest leaf
    /// Whether every token has exactly one part, so that nothing needs merging.
    bool single = false;
};

/// Parts with at most this many query-key pairs are batched: below, plain products beat the fused CPU kernel.
/// Measured with `tests/train/bench_forest` (one thread, widths 128 and 512): the fused kernel takes over
/// between 16 and 32 tokens in float32, between 128 and 192 in bfloat16.
inline constexpr std::int64_t kBatchedPartPairs = 24 * 24;
inline constexpr std::int64_t kBatchedPartPairsBfloat16 = 128 * 128;

/// Every part in batched products, none for the fused kernel: layers that cap their scores need that.
inline constexpr std::int64_t kBatchEverything = std::numeric_limits<std::int64_t>::max();

AttentionPlan planAttention(const SegmentForest& forest, std::int64_t batchedPairs = kBatchedPartPairs);

/// For layers in which a token sees itself and the `window` - 1 tokens before it on its path: queries in
/// blocks, the keys that any of them may see gathered along the path. No row is ever without a key, so
/// nothing depends on what a kernel does with empty rows.
AttentionPlan planWindow(const SegmentForest& forest, std::int64_t window);

} // namespace assay
