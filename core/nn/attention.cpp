#include "core/nn/attention.h"

#include "core/base/check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

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

} // namespace

std::shared_ptr<const ForestAttention> placeAttention(AttentionPlan plan, at::Device device,
                                                      at::ScalarType type)
{
    auto placed = std::make_shared<ForestAttention>();
    for (const auto& step : plan.steps)
        if (step.batched)
            placed->batches.push_back(placeBatch(step.batch, device, type));
    placed->plan = std::move(plan);
    return placed;
}

at::Tensor attendPadded(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const PaddedAttention& shape)
{
    const auto heads = [&shape](const at::Tensor& x) {
        return x.view({shape.rows, shape.length, x.size(1), x.size(2)})
            .transpose(1, 2); // [rows, heads, length, headWidth]
    };
    const auto groups = queries.size(1) / keys.size(1);
    const auto widened = [groups](const at::Tensor& x) {
        return groups == 1 ? x : x.repeat_interleave(groups, 1);
    };
    const at::Tensor out = at::scaled_dot_product_attention(heads(queries), widened(heads(keys)),
                                                            widened(heads(values)), shape.mask, 0.0, false);
    return out.transpose(1, 2).reshape(queries.sizes());
}

at::Tensor attendAfterPrefix(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values)
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
    const at::Tensor mask = column <= row + (total - tokens); // [tokens, total]
    const at::Tensor out = at::scaled_dot_product_attention(queries.transpose(0, 1).unsqueeze(0),
                                                            widened(keys), widened(values), mask, 0.0, false);
    return out.squeeze(0).transpose(0, 1).contiguous();
}

} // namespace assay
