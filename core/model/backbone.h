#pragma once

#include "core/nn/attention.h"
#include "core/nn/parameter.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

namespace assay {

/// Tokens as the backbone takes them, and how they attend to each other.
struct BackboneInput
{
    at::Tensor ids;                                ///< [tokens] int64
    at::Tensor positions;                          ///< [tokens] int64
    std::shared_ptr<const ForestAttention> forest; ///< merged, packed or single execution
    std::optional<PaddedAttention> padded;         ///< padded execution
    const PrefixCache* past = nullptr; ///< inference on one sequence only: tokens come after these
    PrefixCache* record = nullptr;     ///< receives the keys and values of past and new tokens
};

struct ForwardOptions
{
    at::ScalarType compute =
        at::kFloat;         ///< type of the matrix products; the residual stream keeps the weights' type
    bool recompute = false; ///< activation checkpointing
    std::vector<at::Tensor>* layers =
        nullptr; ///< receives the input of every layer and the final hidden states
};

/// What the plan of a batch must provide for a backbone's layers.
struct AttentionNeeds
{
    std::vector<std::int64_t> windows; ///< distinct windows of its layers
    bool capped = false;               ///< scores are capped, which the fused kernel cannot do
};

/// Token ids to hidden states; knows nothing of heads, labels or padding.
class Backbone
{
public:
    virtual ~Backbone() = default;
    /// [tokens, width], after the final norm, in the type of the weights.
    virtual at::Tensor forward(const BackboneInput& input, const ForwardOptions& options) const = 0;
    virtual std::int64_t width() const = 0;
    virtual std::int64_t vocabulary() const = 0;
    virtual AttentionNeeds attention() const { return {}; }
    /// Sharing storage with the model: training them trains it.
    virtual Parameters parameters() const = 0;
    /// Gives token `id` an embedding: the mean of those before it. The row is written over if there is one;
    /// the next one is added. Parameters that were taken before are no longer the model's.
    virtual void addToken(std::int64_t id) = 0;
    /// Lets the embedding of `id` train alone, where the others do not; the parameter shares its storage.
    virtual Parameter trainToken(std::int64_t id) = 0;
};

} // namespace assay
