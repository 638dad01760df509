#pragma once

#include "core/model/decoder.h"
#include "core/model/heads.h"
#include "core/model/reward_model.h"

#include <memory>
#include <optional>

namespace assay::tests {

struct TinyModelOptions
{
    std::int64_t vocabulary = 50, width = 32, layers = 2, heads = 4, keyValueHeads = 2, mlpWidth = 48;
    at::ScalarType type = at::kFloat;
    std::uint64_t seed = 7;
    double scale = 8.0; ///< weights are drawn large, so that a wrong mask shows
    const char* head = "step-classifier";
    bool frozen = false;
    std::optional<std::int64_t> newToken = {}; ///< whose embedding trains even if all else is frozen
    const char* family = "llama";              ///< `model_type`
    std::int64_t window = 0;                   ///< of every second layer, 0 = none
};

/// What a family's row says and no size does, with values that show when they are ignored.
inline void applyFamily(const Family& family, DecoderConfig& decoder, std::int64_t window)
{
    decoder.traits = family.traits;
    decoder.attentionBias = family.attentionBias.value_or(false);
    decoder.outputBias = family.outputBias.value_or(false);
    decoder.mlpBias = family.mlpBias.value_or(false);
    decoder.traits.parallelResidual = family.numberDefaults.contains("parallel_residual");
    if (family.scaledEmbeddings)
        decoder.embeddingScale = 5.5;
    if (family.numberDefaults.contains("attention_scalar"))
        decoder.attentionScale = 0.2;
    if (family.numberDefaults.contains("attention_softcap"))
        decoder.attentionSoftcap = 2.0;
    if (family.numberDefaults.contains("partial_rotary"))
        decoder.rotaryWidth = decoder.headWidth / 4 * 2;
    if (family.numberDefaults.contains("local_rope_theta"))
        decoder.localRotary = RotaryConfig{.theta = 100.0};
    if (decoder.traits.attentionTensors == AttentionTensors::PerHead)
        decoder.keyValueHeads = decoder.heads;
    for (std::int64_t layer = 0; window > 0 && layer < decoder.layers; ++layer)
        decoder.windows.push_back(layer % 2 == 0 ? window : 0);
}

/// A small random reward model; the same seed gives the same weights in every type.
inline std::unique_ptr<RewardModel> tinyModel(const TinyModelOptions& options = {})
{
    const Family& family = *familyOfModelType(options.family).value();
    ModelConfig config;
    config.family = &family;
    auto& decoder = config.decoder;
    decoder.vocabulary = options.vocabulary;
    decoder.width = options.width;
    decoder.layers = options.layers;
    decoder.heads = options.heads;
    decoder.keyValueHeads = options.keyValueHeads;
    decoder.headWidth = options.width / options.heads;
    decoder.mlpWidth = options.mlpWidth;
    decoder.normEpsilon = 1e-5;
    applyFamily(family, decoder, options.window);
    config.json = writeModelConfig(family, decoder);
    RandomStream weights(options.seed, "backbone");
    auto backbone = newDecoder(family, decoder, weights, options.type);
    for (auto& parameter : backbone->parameters())
        if (parameter.tensor.dim() > 1)
            parameter.tensor.mul_(options.scale);
    RandomStream headStream(options.seed, "head");
    auto head = newHead(*headKind(options.head), options.width, headStream, options.type);
    for (auto& parameter : head->parameters())
        parameter.tensor.mul_(options.scale);
    return std::make_unique<RewardModel>(std::move(config), std::move(backbone), std::move(head),
                                         options.frozen, options.newToken);
}

} // namespace assay::tests
