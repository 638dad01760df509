#pragma once

#include "core/train/attention_plan.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace assay {

/// How a layer turns queries and keys into weights.
struct AttentionRule
{
    std::optional<double> scale;   ///< of the scores; 1 / sqrt(headWidth) without
    std::optional<double> softcap; ///< c: scores become c tanh(score / c) (Gemma 2)
    std::int64_t window = 0; ///< a token sees itself and the window - 1 tokens before it; 0 = all of them
};

/// An AttentionPlan with its index tensors on the device.
struct ForestAttention
{
    struct Batch
    {
        at::Tensor queryRows, keyRows;       ///< [parts * queries], [parts * keys] int64
        at::Tensor queryValid, keyValid;     ///< undefined when nothing is padded
        at::Tensor queryTargets, keyTargets; ///< flat rows of the valid entries
        at::Tensor bias;                     ///< [parts, 1, queries, keys], 0 or minus infinity
        at::Tensor queryMask; ///< [parts * queries, 1, 1], 1 = real; undefined when nothing is padded
    };
    AttentionPlan plan;
    std::vector<Batch> batches; ///< one per batched step of the plan, in order
    /// The same forest for layers with a window; windows that no path exceeds are absent: nothing is cut.
    std::map<std::int64_t, std::shared_ptr<const ForestAttention>> windowed;
};

/// `type`: type of the attention scores (float32, or float64 for float64 models).
std::shared_ptr<ForestAttention> placeAttention(AttentionPlan plan, at::Device device, at::ScalarType type);

/// A rectangle [rows, length]: flat token = row * length + column.
struct PaddedAttention
{
    std::int64_t rows = 0, length = 0;
    at::Tensor mask; ///< [rows, 1, length, length] bool, true = may attend
};

/// Keys and values of tokens computed before, per layer; for scoring continuations without recomputing them.
struct PrefixCache
{
    struct Layer
    {
        at::Tensor keys, values; ///< [tokens, keyValueHeads, headWidth]
    };
    std::vector<Layer> layers;
    std::int64_t tokens = 0;
};

/// Attention over a forest, exact in both directions: parts merged by log-sum-exp, the backward of every part
/// run with the merged output and the merged log-sum-exp (FlashAttention's identity, Dao et al. 2022).
/// queries [tokens, heads, headWidth], keys and values [tokens, keyValueHeads, headWidth] -> like queries.
/// The forest must have been planned for the rule (`planAttention`, `planWindow`).
at::Tensor attendForest(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const std::shared_ptr<const ForestAttention>& forest, const AttentionRule& rule = {});

/// The same over a padded rectangle, through the library's masked kernel: another code path, to compare with.
at::Tensor attendPadded(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const PaddedAttention& shape, const AttentionRule& rule = {});

/// New tokens of one sequence after a cached prefix (inference only).
/// queries [tokens, heads, headWidth]; keys and values [prefix + tokens, keyValueHeads, headWidth].
at::Tensor attendAfterPrefix(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             const AttentionRule& rule = {});

} // namespace assay
