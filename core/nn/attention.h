#pragma once

#include "core/train/attention_plan.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace assay {

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
};

/// `type`: type of the attention scores (float32, or float64 for float64 models).
std::shared_ptr<const ForestAttention> placeAttention(AttentionPlan plan, at::Device device,
                                                      at::ScalarType type);

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
at::Tensor attendForest(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        std::shared_ptr<const ForestAttention> forest);

/// The same over a padded rectangle, through the library's masked kernel: another code path, to compare with.
at::Tensor attendPadded(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const PaddedAttention& shape);

/// New tokens of one sequence after a cached prefix (inference only).
/// queries [tokens, heads, headWidth]; keys and values [prefix + tokens, keyValueHeads, headWidth].
at::Tensor attendAfterPrefix(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values);

} // namespace assay
