#include "core/model/decoder_layer.h"

#include "core/base/check.h"
#include "core/nn/norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

namespace assay {

namespace {

at::Tensor activated(const at::Tensor& x, Activation activation)
{
    switch (activation) {
    case Activation::Silu:
        return at::silu(x);
    case Activation::Gelu:
        return at::gelu(x);
    case Activation::GeluTanh:
        return at::gelu(x, "tanh");
    case Activation::Relu:
        return at::relu(x);
    }
    ASSAY_CHECK(false, "a known activation");
    return x;
}

} // namespace

at::Tensor DecoderNorm::forward(const at::Tensor& x, const DecoderConfig& config, at::ScalarType output) const
{
    if (config.traits.norm == NormKind::Layer)
        return layerNorm(x, weight.tensor, bias.tensor, config.normEpsilon, output);
    return rmsNorm(x, weight.tensor, config.normEpsilon, output, config.traits.normOffset);
}

at::Tensor DecoderLayer::Tensors::forward(const at::Tensor& x) const
{
    return Projection(transposed ? weight.tensor.t() : weight.tensor, bias.tensor).forward(x);
}

void DecoderLayer::appendParameters(Parameters& to) const
{
    const auto add = [&to](const Parameter& parameter) {
        if (parameter.tensor.defined())
            to.push_back(parameter);
    };
    const auto addNorm = [&add](const DecoderNorm& norm) {
        add(norm.weight);
        add(norm.bias);
    };
    addNorm(attentionNorm);
    for (const auto& tensors : parts) {
        add(tensors.weight);
        add(tensors.bias);
    }
    addNorm(mlpNorm);
    for (const auto* norm : {&postAttentionNorm, &postMlpNorm, &queryNorm, &keyNorm})
        addNorm(*norm);
}

DecoderLayer::Heads DecoderLayer::project(const at::Tensor& normal, const DecoderConfig& config,
                                          const RotaryTable& table) const
{
    const auto tokens = normal.size(0);
    const auto split = [&](const at::Tensor& x) { return x.view({tokens, -1, config.headWidth}); };
    Heads heads;
    switch (config.traits.attentionTensors) {
    case AttentionTensors::Separate:
        heads = {split(part(DecoderPart::Query).forward(normal)),
                 split(part(DecoderPart::Key).forward(normal)),
                 split(part(DecoderPart::Value).forward(normal))};
        break;
    case AttentionTensors::Stacked: {
        const at::Tensor all =
            split(part(DecoderPart::QueryKeyValue).forward(normal)); // [tokens, q + k + v heads, headWidth]
        heads = {all.narrow(1, 0, config.heads), all.narrow(1, config.heads, config.keyValueHeads),
                 all.narrow(1, config.heads + config.keyValueHeads, config.keyValueHeads)};
        break;
    }
    case AttentionTensors::PerHead: {
        const at::Tensor all = part(DecoderPart::QueryKeyValue)
                                   .forward(normal)
                                   .view({tokens, config.heads, 3, config.headWidth});
        heads = {all.select(2, 0), all.select(2, 1), all.select(2, 2)};
        break;
    }
    }
    if (queryNorm.defined()) {
        const auto type = normal.scalar_type();
        heads.queries = queryNorm.forward(heads.queries, config, type);
        heads.keys = keyNorm.forward(heads.keys, config, type);
    }
    if (table.cosine.defined()) {
        heads.queries = rotate(heads.queries, table);
        heads.keys = rotate(heads.keys, table);
    }
    return heads;
}

at::Tensor DecoderLayer::attend(const at::Tensor& normal, const DecoderConfig& config,
                                const RotaryTable& table, const BackboneInput& input, std::size_t index) const
{
    Heads heads = project(normal, config, table);
    if (input.past && !input.past->layers.empty()) {
        heads.keys = at::cat({input.past->layers[index].keys, heads.keys});
        heads.values = at::cat({input.past->layers[index].values, heads.values});
    }
    if (input.record)
        input.record->layers[index] = {heads.keys, heads.values};
    at::Tensor attended; // [tokens, heads, headWidth]
    if (input.padded)
        attended = attendPadded(heads.queries, heads.keys, heads.values, *input.padded, rule);
    else if (input.past || input.record)
        attended = attendAfterPrefix(heads.queries, heads.keys, heads.values, rule);
    else
        attended = attendForest(heads.queries, heads.keys, heads.values, input.forest, rule);
    return part(DecoderPart::Output).forward(attended.reshape({attended.size(0), -1}));
}

at::Tensor DecoderLayer::mlp(const at::Tensor& normal, const DecoderConfig& config) const
{
    const auto& down = part(DecoderPart::Down);
    if (!config.traits.gatedMlp)
        return down.forward(activated(part(DecoderPart::Up).forward(normal), config.activation));
    if (config.traits.fusedGate) {
        const at::Tensor both = part(DecoderPart::GateUp).forward(normal); // [tokens, 2 mlpWidth]
        return down.forward(activated(both.narrow(-1, 0, config.mlpWidth), config.activation) *
                            both.narrow(-1, config.mlpWidth, config.mlpWidth));
    }
    return down.forward(activated(part(DecoderPart::Gate).forward(normal), config.activation) *
                        part(DecoderPart::Up).forward(normal));
}

at::Tensor DecoderLayer::forward(const at::Tensor& x, const DecoderConfig& config, const RotaryTable& table,
                                 const BackboneInput& input, std::size_t index, at::ScalarType compute) const
{
    // The residual stream keeps its own type; a post norm writes into it.
    const auto added = [&](const at::Tensor& to, const at::Tensor& block, const DecoderNorm& post) {
        return to + (post.defined() ? post.forward(block, config, to.scalar_type()) : block);
    };
    const at::Tensor attended =
        attend(attentionNorm.forward(x, config, compute), config, table, input, index);
    if (config.traits.parallelResidual)
        return x + attended + mlp(mlpNorm.forward(x, config, compute), config);
    const at::Tensor after = added(x, attended, postAttentionNorm);
    return added(after, mlp(mlpNorm.forward(after, config, compute), config), postMlpNorm);
}

} // namespace assay
