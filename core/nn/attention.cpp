#include "core/nn/attention.h"

#include "core/base/check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

namespace assay {

namespace {

at::Tensor indexTensor(const std::vector<std::int64_t>& values, at::Device device)
{
    return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device);
}

ForestAttention::Batch placeBatch(const AttentionBatch& batch, at::Device device, at::ScalarType type)
{
    ForestAttention::Batch placed;
    placed.queryRows = indexTensor(batch.queryRows, device);
    placed.keyRows = indexTensor(batch.keyRows, device);
    const at::Tensor allowed =
        at::from_blob(const_cast<std::uint8_t*>(batch.allowed.data()),
                      {batch.parts, 1, batch.queries, batch.keys}, at::TensorOptions().dtype(at::kByte))
            .to(at::kBool);
    const auto options = at::TensorOptions().dtype(type);
    placed.bias = at::zeros(allowed.sizes(), options)
                      .masked_fill_(allowed.logical_not(), -std::numeric_limits<double>::infinity())
                      .to(device);
    placed.queryTargets = placed.queryRows;
    placed.keyTargets = placed.keyRows;
    if (!batch.full) {
        placed.queryValid = indexTensor(batch.queryValid, device);
        placed.keyValid = indexTensor(batch.keyValid, device);
        placed.queryTargets = placed.queryRows.index_select(0, placed.queryValid);
        placed.keyTargets = placed.keyRows.index_select(0, placed.keyValid);
        placed.queryMask = at::zeros({placed.queryRows.size(0)}, options).to(device);
        placed.queryMask.index_fill_(0, placed.queryValid, 1.0);
        placed.queryMask = placed.queryMask.view({-1, 1, 1});
    }
    return placed;
}

/// Masked attention by the library's kernel, or written out where scores are capped.
/// queries [rows, heads, new, headWidth], keys and values [rows, heads, all, headWidth], mask broadcast to
/// [rows, heads, new, all], true = may attend.
at::Tensor attendMasked(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const at::Tensor& mask, const AttentionRule& rule)
{
    if (!rule.softcap)
        return at::scaled_dot_product_attention(queries, keys, values, mask, 0.0, false, rule.scale);
    const auto type = queries.scalar_type();
    const double scale = rule.scale.value_or(1.0 / std::sqrt(static_cast<double>(queries.size(-1))));
    const at::Tensor scores =
        at::matmul(queries, keys.transpose(-2, -1)).to(type == at::kDouble ? type : at::kFloat);
    const at::Tensor capped =
        at::tanh(scores * (scale / *rule.softcap)) * *rule.softcap; // [rows, heads, new, all]
    const at::Tensor weights =
        at::softmax(capped.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity()), -1);
    return at::matmul(weights.to(type), values);
}

} // namespace

std::shared_ptr<ForestAttention> placeAttention(AttentionPlan plan, at::Device device, at::ScalarType type)
{
    auto placed = std::make_shared<ForestAttention>();
    for (const auto& step : plan.steps)
        if (step.batched)
            placed->batches.push_back(placeBatch(step.batch, device, type));
    placed->plan = std::move(plan);
    return placed;
}

at::Tensor attendPadded(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const PaddedAttention& shape, const AttentionRule& rule)
{
    const auto heads = [&shape](const at::Tensor& x) {
        return x.view({shape.rows, shape.length, x.size(1), x.size(2)})
            .transpose(1, 2); // [rows, heads, length, headWidth]
    };
    const auto groups = queries.size(1) / keys.size(1);
    const auto widened = [groups](const at::Tensor& x) {
        return groups == 1 ? x : x.repeat_interleave(groups, 1);
    };
    at::Tensor mask = shape.mask;
    if (rule.window > 0 && rule.window < shape.length)
        // Padding lies at one end, so columns are as far apart as positions.
        mask = mask & at::ones({shape.length, shape.length}, mask.options()).triu(1 - rule.window);
    const at::Tensor out =
        attendMasked(heads(queries), widened(heads(keys)), widened(heads(values)), mask, rule);
    return out.transpose(1, 2).reshape(queries.sizes());
}

at::Tensor attendAfterPrefix(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             const AttentionRule& rule)
{
    const auto tokens = queries.size(0);
    const auto total = keys.size(0);
    ASSAY_CHECK(total >= tokens, "the keys hold prefix and new tokens");
    const auto groups = queries.size(1) / keys.size(1);
    const auto widened = [groups](const at::Tensor& x) {
        return (groups == 1 ? x : x.repeat_interleave(groups, 1))
            .transpose(0, 1)
            .unsqueeze(0); // [1, heads, tokens, headWidth]
    };
    const at::Tensor row =
        at::arange(tokens, at::TensorOptions().dtype(at::kLong).device(queries.device())).unsqueeze(1);
    const at::Tensor column =
        at::arange(total, at::TensorOptions().dtype(at::kLong).device(queries.device())).unsqueeze(0);
    at::Tensor mask = column <= row + (total - tokens); // [tokens, total]
    if (rule.window > 0)
        mask = mask & (column > row + (total - tokens - rule.window));
    const at::Tensor out =
        attendMasked(queries.transpose(0, 1).unsqueeze(0), widened(keys), widened(values), mask, rule);
    return out.squeeze(0).transpose(0, 1).contiguous();
}

} // namespace assay
