// Attention over a segment forest without masks over the whole batch or copies of shared beginnings.
#include "core/base/check.h"
#include "core/nn/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <limits>

namespace assay {

namespace {

struct PlanHolder : public torch::CustomClassHolder
{
    std::shared_ptr<const ForestAttention> forest;
    AttentionRule rule;
};

/// Result of one part or batch: output rows and their log-sum-exp.
struct Partial
{
    at::Tensor out;       ///< [rows, heads, headWidth]
    at::Tensor logSumExp; ///< [rows, heads]
};

struct Shape
{
    std::int64_t heads, keyValueHeads, groups, width;
    double scale;
    at::ScalarType wide; ///< type of scores and sums
    AttentionRule rule;
};

Shape shapeOf(const at::Tensor& queries, const at::Tensor& keys, const AttentionRule& rule)
{
    const auto width = queries.size(2);
    return {queries.size(1),
            keys.size(1),
            queries.size(1) / keys.size(1),
            width,
            rule.scale.value_or(1.0 / std::sqrt(static_cast<double>(width))),
            queries.scalar_type() == at::kDouble ? at::kDouble : at::kFloat,
            rule};
}

/// [rows, heads, headWidth] -> [1, heads, rows, headWidth] as a view
at::Tensor kernelView(const at::Tensor& x, std::int64_t begin, std::int64_t count)
{
    return x.narrow(0, begin, count).transpose(0, 1).unsqueeze(0);
}

/// [parts * queries, heads, headWidth] -> [parts * keyValueHeads, groups * queries, headWidth]
at::Tensor groupedQueries(const at::Tensor& x, const AttentionBatch& batch, const Shape& shape)
{
    return x.view({batch.parts, batch.queries, shape.keyValueHeads, shape.groups, x.size(-1)})
        .permute({0, 2, 3, 1, 4})
        .reshape({batch.parts * shape.keyValueHeads, shape.groups * batch.queries, x.size(-1)});
}

/// Back: [parts * keyValueHeads, groups * queries, last] -> [parts * queries, heads, last]
at::Tensor ungroupedQueries(const at::Tensor& x, const AttentionBatch& batch, const Shape& shape)
{
    return x.view({batch.parts, shape.keyValueHeads, shape.groups, batch.queries, x.size(-1)})
        .permute({0, 3, 1, 2, 4})
        .reshape({std::int64_t{batch.parts} * batch.queries, shape.heads, x.size(-1)});
}

/// [parts * keys, keyValueHeads, headWidth] -> [parts * keyValueHeads, keys, headWidth]
at::Tensor groupedKeys(const at::Tensor& x, const AttentionBatch& batch, const Shape& shape)
{
    return x.view({batch.parts, batch.keys, shape.keyValueHeads, x.size(-1)})
        .transpose(1, 2)
        .reshape({batch.parts * shape.keyValueHeads, batch.keys, x.size(-1)});
}

at::Tensor ungroupedKeys(const at::Tensor& x, const AttentionBatch& batch, const Shape& shape)
{
    return x.view({batch.parts, shape.keyValueHeads, batch.keys, x.size(-1)})
        .transpose(1, 2)
        .reshape({std::int64_t{batch.parts} * batch.keys, shape.keyValueHeads, x.size(-1)});
}

/// Scaled and capped scores [parts, keyValueHeads * groups, queries, keys] of a batch, in the wide type; what
/// may not be seen is still in them.
at::Tensor batchScores(const at::Tensor& q, const at::Tensor& k, const AttentionBatch& batch,
                       const Shape& shape)
{
    at::Tensor scores = at::bmm(q, k.transpose(1, 2)).to(shape.wide);
    scores = scores.view({batch.parts, shape.heads, batch.queries, batch.keys});
    if (const auto cap = shape.rule.softcap)
        return scores.mul_(shape.scale / *cap).tanh_().mul_(*cap);
    return scores.mul_(shape.scale);
}

Partial batchForward(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                     const AttentionBatch& batch, const ForestAttention::Batch& placed, const Shape& shape)
{
    const at::Tensor q = groupedQueries(queries.index_select(0, placed.queryRows), batch, shape);
    const at::Tensor k = groupedKeys(keys.index_select(0, placed.keyRows), batch, shape);
    const at::Tensor v = groupedKeys(values.index_select(0, placed.keyRows), batch, shape);
    at::Tensor scores = batchScores(q, k, batch, shape).add_(placed.bias);
    const at::Tensor logSumExp = at::logsumexp(scores, -1, true); // [parts, heads, queries, 1]
    const at::Tensor weights = scores.sub_(logSumExp).exp_().to(queries.scalar_type());
    const at::Tensor out = at::bmm(
        weights.view({batch.parts * shape.keyValueHeads, shape.groups * batch.queries, batch.keys}), v);
    Partial partial;
    partial.out = ungroupedQueries(out, batch, shape);
    partial.logSumExp = logSumExp.squeeze(-1).transpose(1, 2).reshape(
        {std::int64_t{batch.parts} * batch.queries, shape.heads});
    if (!batch.full) {
        partial.out = partial.out.index_select(0, placed.queryValid);
        partial.logSumExp = partial.logSumExp.index_select(0, placed.queryValid);
    }
    return partial;
}

Partial partForward(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                    const AttentionPart& part, const Shape& shape)
{
    auto [out, logSumExp] = at::_scaled_dot_product_flash_attention_for_cpu(
        kernelView(queries, part.queryBegin, part.queries()), kernelView(keys, part.keyBegin, part.keys()),
        kernelView(values, part.keyBegin, part.keys()), 0.0, part.causal, std::nullopt, shape.rule.scale);
    return {out.squeeze(0).transpose(0, 1), logSumExp.squeeze(0).transpose(0, 1)};
}

/// Running merge of partial results: l = logaddexp(l1, l2), o = o1 exp(l1 - l) + o2 exp(l2 - l).
class Merged
{
public:
    Merged(const at::Tensor& queries, const Shape& shape, bool single)
        : m_single(single)
    {
        const auto wide = queries.options().dtype(shape.wide);
        if (single) {
            m_out = at::empty(queries.sizes(), queries.options());
            m_logSumExp = at::empty({queries.size(0), shape.heads}, wide);
        } else {
            m_out = at::zeros(queries.sizes(), wide);
            m_logSumExp =
                at::full({queries.size(0), shape.heads}, -std::numeric_limits<double>::infinity(), wide);
        }
    }

    void addRange(std::int64_t begin, const Partial& partial)
    {
        at::Tensor out = m_out.narrow(0, begin, partial.out.size(0));
        at::Tensor logSumExp = m_logSumExp.narrow(0, begin, partial.out.size(0));
        const auto [o, l] = combined(out, logSumExp, partial);
        out.copy_(o);
        logSumExp.copy_(l);
    }

    void addRows(const at::Tensor& rows, const Partial& partial)
    {
        if (m_single) {
            m_out.index_copy_(0, rows, partial.out);
            m_logSumExp.index_copy_(0, rows, partial.logSumExp);
            return;
        }
        const auto [o, l] = combined(m_out.index_select(0, rows), m_logSumExp.index_select(0, rows), partial);
        m_out.index_copy_(0, rows, o);
        m_logSumExp.index_copy_(0, rows, l);
    }

    at::Tensor out(at::ScalarType type) const { return m_out.to(type); }
    const at::Tensor& logSumExp() const { return m_logSumExp; }

private:
    std::pair<at::Tensor, at::Tensor> combined(const at::Tensor& out, const at::Tensor& logSumExp,
                                               const Partial& partial) const
    {
        if (m_single)
            return {partial.out, partial.logSumExp};
        const at::Tensor l = at::logaddexp(logSumExp, partial.logSumExp);
        const at::Tensor o = out * (logSumExp - l).exp_().unsqueeze(-1) +
                             partial.out.to(out.scalar_type()) * (partial.logSumExp - l).exp_().unsqueeze(-1);
        return {o, l};
    }

    bool m_single;
    at::Tensor m_out;
    at::Tensor m_logSumExp;
};

struct Gradients
{
    at::Tensor queries, keys, values;
    bool single = false; ///< every row is written exactly once
};

void batchBackward(Gradients& total, const at::Tensor& gradient, const at::Tensor& delta,
                   const at::Tensor& logSumExp, const at::Tensor& queries, const at::Tensor& keys,
                   const at::Tensor& values, const AttentionBatch& batch,
                   const ForestAttention::Batch& placed, const Shape& shape)
{
    const auto type = queries.scalar_type();
    const at::Tensor q = groupedQueries(queries.index_select(0, placed.queryRows), batch, shape);
    const at::Tensor k = groupedKeys(keys.index_select(0, placed.keyRows), batch, shape);
    const at::Tensor v = groupedKeys(values.index_select(0, placed.keyRows), batch, shape);
    at::Tensor rows = gradient.index_select(0, placed.queryRows);
    if (placed.queryMask.defined())
        rows = rows * placed.queryMask.to(rows.scalar_type()); // padded rows pass nothing back
    const at::Tensor g = groupedQueries(rows, batch, shape);
    const auto perRow = [&](const at::Tensor& x) { // [tokens, heads] -> [parts, heads, queries, 1]
        return x.index_select(0, placed.queryRows)
            .view({batch.parts, batch.queries, shape.heads})
            .transpose(1, 2)
            .unsqueeze(-1);
    };
    const std::vector<std::int64_t> grouped = {batch.parts * shape.keyValueHeads,
                                               shape.groups * batch.queries, batch.keys};
    at::Tensor weights = batchScores(q, k, batch, shape);
    at::Tensor slope; // of the cap: 1 - tanh^2
    if (const auto cap = shape.rule.softcap)
        slope = (weights / *cap).square_().neg_().add_(1.0);
    weights = weights.add_(placed.bias).sub_(perRow(logSumExp)).exp_();
    at::Tensor scores = at::bmm(g, v.transpose(1, 2)).to(shape.wide).view(weights.sizes());
    at::Tensor rowDelta = perRow(delta);
    if (placed.queryMask.defined())
        rowDelta = rowDelta * placed.queryMask.view({batch.parts, 1, batch.queries, 1});
    scores = scores.sub_(rowDelta).mul_(weights).mul_(shape.scale);
    if (slope.defined())
        scores.mul_(slope);
    scores = scores.to(type).view(grouped);
    const at::Tensor valueGradient = at::bmm(weights.to(type).view(grouped).transpose(1, 2), g);
    const at::Tensor queryGradient = at::bmm(scores, k);
    const at::Tensor keyGradient = at::bmm(scores.transpose(1, 2), q);
    // Rows are disjoint inside a batch, so a copy is enough; the library's index_add would sort them.
    const auto add = [&](at::Tensor& into, const at::Tensor& flat, const at::Tensor& valid,
                         const at::Tensor& targets) {
        const at::Tensor real = (valid.defined() ? flat.index_select(0, valid) : flat).to(into.scalar_type());
        into.index_copy_(0, targets, total.single ? real : into.index_select(0, targets) + real);
    };
    add(total.queries, ungroupedQueries(queryGradient, batch, shape), placed.queryValid, placed.queryTargets);
    add(total.keys, ungroupedKeys(keyGradient, batch, shape), placed.keyValid, placed.keyTargets);
    add(total.values, ungroupedKeys(valueGradient, batch, shape), placed.keyValid, placed.keyTargets);
}

void partBackward(Gradients& total, const at::Tensor& gradient, const at::Tensor& out,
                  const at::Tensor& logSumExp, const at::Tensor& queries, const at::Tensor& keys,
                  const at::Tensor& values, const AttentionPart& part, const Shape& shape)
{
    const auto count = part.queries();
    auto [q, k, v] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        kernelView(gradient, part.queryBegin, count), kernelView(queries, part.queryBegin, count),
        kernelView(keys, part.keyBegin, part.keys()), kernelView(values, part.keyBegin, part.keys()),
        kernelView(out, part.queryBegin, count),
        logSumExp.narrow(0, part.queryBegin, count).transpose(0, 1).unsqueeze(0).contiguous(), 0.0,
        part.causal, std::nullopt, shape.rule.scale);
    const auto flat = [](const at::Tensor& x) { return x.squeeze(0).transpose(0, 1); };
    total.queries.narrow(0, part.queryBegin, count).add_(flat(q));
    total.keys.narrow(0, part.keyBegin, part.keys()).add_(flat(k));
    total.values.narrow(0, part.keyBegin, part.keys()).add_(flat(v));
}

class ForestAttentionFunction : public torch::autograd::Function<ForestAttentionFunction>
{
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& queries,
                              const at::Tensor& keys, const at::Tensor& values,
                              const std::shared_ptr<const ForestAttention>& forest, const AttentionRule& rule)
    {
        const Shape shape = shapeOf(queries, keys, rule);
        Merged merged(queries, shape, forest->plan.single);
        std::size_t batch = 0;
        for (const auto& step : forest->plan.steps) {
            if (step.batched) {
                const auto& placed = forest->batches[batch++];
                merged.addRows(placed.queryTargets,
                               batchForward(queries, keys, values, step.batch, placed, shape));
            } else {
                merged.addRange(step.part.queryBegin, partForward(queries, keys, values, step.part, shape));
            }
        }
        const at::Tensor out = merged.out(queries.scalar_type());
        context->save_for_backward({queries, keys, values, out, merged.logSumExp()});
        auto holder = c10::make_intrusive<PlanHolder>();
        holder->forest = forest;
        holder->rule = rule;
        context->saved_data["plan"] =
            c10::IValue::make_capsule(c10::static_intrusive_pointer_cast<torch::CustomClassHolder>(holder));
        return out;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &queries = saved[0], &keys = saved[1], &values = saved[2], &out = saved[3],
                         &logSumExp = saved[4];
        const auto holder =
            c10::static_intrusive_pointer_cast<PlanHolder>(context->saved_data["plan"].toCapsule());
        const auto& forest = holder->forest;
        const Shape shape = shapeOf(queries, keys, holder->rule);
        const at::Tensor gradient = gradients[0].contiguous();
        const at::Tensor delta = (gradient.to(shape.wide) * out.to(shape.wide)).sum(-1); // [tokens, heads]
        const auto zeros = [&shape](const at::Tensor& x) {
            return at::zeros(x.sizes(), x.options().dtype(shape.wide));
        };
        Gradients total{zeros(queries), zeros(keys), zeros(values), forest->plan.single};
        std::size_t batch = 0;
        for (const auto& step : forest->plan.steps) {
            if (step.batched)
                batchBackward(total, gradient, delta, logSumExp, queries, keys, values, step.batch,
                              forest->batches[batch++], shape);
            else
                partBackward(total, gradient, out, logSumExp, queries, keys, values, step.part, shape);
        }
        const auto type = queries.scalar_type();
        return {total.queries.to(type), total.keys.to(type), total.values.to(type), at::Tensor(),
                at::Tensor()};
    }
};

} // namespace

at::Tensor attendForest(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                        const std::shared_ptr<const ForestAttention>& forest, const AttentionRule& rule)
{
    auto chosen = forest;
    if (rule.window > 0 && rule.window < forest->plan.longestPath) {
        const auto found = forest->windowed.find(rule.window);
        ASSAY_CHECK(found != forest->windowed.end(), "the forest was not planned for this window");
        chosen = found->second;
    }
    ASSAY_CHECK(!rule.softcap || chosen->batches.size() == chosen->plan.steps.size(),
                "the fused kernel does not cap scores");
    return ForestAttentionFunction::apply(queries, keys, values, chosen, rule);
}

} // namespace assay
