#pragma once

#include "core/base/result.h"
#include "core/model/decoder_config.h"
#include "core/model/families.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// What the model takes; rows beyond it are refused or warned about.
struct ModelLimits
{
    std::int64_t vocabulary = 0;       ///< token ids must be below it
    std::int64_t maximumPositions = 0; ///< tokens of a sequence that it was trained with; 0 = not known
    std::int64_t lastPosition = 0;     ///< longer rows cannot be computed; 0 = any length can
};

/// What a `config.json` says, read through the family's key map.
struct ModelConfig
{
    const Family* family = nullptr;
    DecoderConfig decoder;
    std::string architecture; ///< first of `architectures`; empty if none
    std::int64_t labels = 2;  ///< length of id2label; 2 without it
    std::string dtype;        ///< as the file names it
    std::optional<std::int64_t> padId;
    std::string json; ///< the file itself

    ModelLimits limits() const
    {
        return {decoder.vocabulary, decoder.maximumPositions, decoder.positionLimit()};
    }
};

/// Errors: BadModel (`where` = file: key): missing or contradicting values, unknown rope type or activation;
/// Unsupported: known settings that would compute something else here.
Result<ModelConfig> readModelConfig(std::string json, const std::string& where);

/// A `config.json` in the old spelling (which every transformers version reads) for a decoder of our own.
std::string writeModelConfig(const Family& family, const DecoderConfig& config);

/// The same model with another number of embeddings, in its `config.json` too.
ModelConfig withVocabulary(ModelConfig config, std::int64_t vocabulary);

/// The same model's `config.json` for a saved reward model: class and labels are those of its head.
/// `labelNames`: wrong/correct for two outputs.
/// A head with a hidden layer is no class of transformers: it gets the name that Qwen's has.
std::string configForHead(const ModelConfig& config, bool perToken, std::int64_t outputs, bool hiddenLayer);

} // namespace assay
