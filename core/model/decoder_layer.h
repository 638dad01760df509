#pragma once

#include "core/model/backbone.h"
#include "core/model/decoder_config.h"
#include "core/nn/projection.h"
#include "core/nn/rotary.h"

#include <array>

namespace assay {

/// A norm's tensors with their names; the bias is undefined where there is none.
struct DecoderNorm
{
    Parameter weight, bias;
    bool defined() const { return weight.tensor.defined(); }
    /// x [..., size of the weight] -> the same shape in type `output`
    at::Tensor forward(const at::Tensor& x, const DecoderConfig& config, at::ScalarType output) const;
};

/// Projections of a layer, by their names in a family's row; a family has either the fused or the single
/// ones.
enum class DecoderPart { Query, Key, Value, QueryKeyValue, Output, Gate, Up, GateUp, Down };
inline constexpr std::array kDecoderParts = {"query", "key",     "value", "query_key_value", "output", "gate",
                                             "up",    "gate_up", "down"};

/// One block of a decoder: attention and MLP around the residual stream.
struct DecoderLayer
{
    struct Tensors
    {
        Parameter weight, bias; ///< undefined where the family has none
        bool transposed = false;
        at::Tensor forward(const at::Tensor& x) const;
    };

    DecoderNorm attentionNorm, mlpNorm;
    DecoderNorm postAttentionNorm, postMlpNorm; ///< undefined without post norms
    DecoderNorm queryNorm, keyNorm;             ///< undefined without query/key norms
    std::array<Tensors, kDecoderParts.size()> parts;
    AttentionRule rule;

    const Tensors& part(DecoderPart which) const { return parts[static_cast<std::size_t>(which)]; }
    /// In the order in which they are made and saved.
    void appendParameters(Parameters& to) const;

    /// x [tokens, width] -> [tokens, width]. `table` is undefined for learned positions.
    at::Tensor forward(const at::Tensor& x, const DecoderConfig& config, const RotaryTable& table,
                       const BackboneInput& input, std::size_t index, at::ScalarType compute) const;

private:
    struct Heads
    {
        at::Tensor queries, keys, values; ///< [tokens, heads or keyValueHeads, headWidth]
    };
    Heads project(const at::Tensor& normal, const DecoderConfig& config, const RotaryTable& table) const;
    at::Tensor attend(const at::Tensor& normal, const DecoderConfig& config, const RotaryTable& table,
                      const BackboneInput& input, std::size_t index) const;
    at::Tensor mlp(const at::Tensor& normal, const DecoderConfig& config) const;
};

} // namespace assay
