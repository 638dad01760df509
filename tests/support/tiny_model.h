#pragma once

#include "core/model/decoder.h"
#include "core/model/heads.h"
#include "core/model/reward_model.h"

#include <memory>

namespace assay::tests {

struct TinyModelOptions
{
    std::int64_t vocabulary = 50, width = 32, layers = 2, heads = 4, keyValueHeads = 2, mlpWidth = 48;
    at::ScalarType type = at::kFloat;
    std::uint64_t seed = 7;
    double scale = 8.0; ///< weights are drawn large, so that a wrong mask shows
    const char* head = "step-classifier";
    bool frozen = false;
};

/// A small random reward model; the same seed gives the same weights in every type.
inline std::unique_ptr<RewardModel> tinyModel(const TinyModelOptions& options = {})
{
    const Family& family = scratchFamily();
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
                                         options.frozen);
}

} // namespace assay::tests
