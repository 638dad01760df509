#pragma once

#include "core/base/result.h"
#include "core/model/decoder_config.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A backbone family as data: a row of `resources/families/`. Adding a Llama-like family is one such file.
struct Family
{
    std::string id, title;
    std::vector<std::string> modelTypes;           ///< `model_type` values of config.json
    std::map<std::string, std::string> classes;    ///< token, sequence, language -> `architectures` name
    std::map<std::string, std::string> configKeys; ///< our field -> key of config.json
    std::map<std::string, std::string> tensors;    ///< our part -> tensor name; {layer} stands for the index
    std::string prefix;                            ///< before the tensor names, absent in backbone-only files
    std::string head, languageHead;
    std::vector<std::string> ignored; ///< tensors that may be in a file and change nothing
    std::map<std::string, double> numberDefaults;
    std::map<std::string, std::string> textDefaults;

    /// Full tensor name of a part in a layer (-1 for parts outside the layers).
    std::string tensorName(const std::string& part, std::int64_t layer = -1) const;
};

/// All families, parsed once from the embedded files.
std::span<const Family> families();
/// Errors: BadModel naming the unknown `model_type` and the known ones.
Result<const Family*> familyOfModelType(std::string_view modelType);

/// What a `config.json` says, read through the family's key map.
struct ModelConfig
{
    const Family* family = nullptr;
    DecoderConfig decoder;
    std::string architecture; ///< first of `architectures`; empty if none
    std::int64_t labels = 2;  ///< length of id2label; 2 without it
    std::string dtype;        ///< as the file names it
    std::string json;         ///< the file itself
};

/// Errors: BadModel (`where` = file: key): missing or contradicting values, unknown rope type or activation.
Result<ModelConfig> readModelConfig(std::string json, const std::string& where);

/// A `config.json` in the old spelling (which every transformers version reads) for a decoder of our own.
std::string writeModelConfig(const Family& family, const DecoderConfig& config);

/// The same model's `config.json` for a saved reward model: class and labels are those of its head.
/// `labelNames`: wrong/correct for two outputs.
std::string configForHead(const ModelConfig& config, bool perToken, std::int64_t outputs);

} // namespace assay
