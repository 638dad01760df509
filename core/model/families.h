#pragma once

#include "core/base/result.h"
#include "core/model/decoder_config.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Which layers of a family see a window only, when `layer_types` of config.json does not say it.
struct WindowKeys
{
    std::string size;       ///< key of the window; empty: the family has none
    std::string enabled;    ///< key of the switch, if there is one
    std::string firstLayer; ///< key of the first layer with a window, if there is one
    std::string pattern;    ///< key of p: every p-th layer sees everything
    std::int64_t defaultPattern = 0;
    std::int64_t defaultSize = 0; ///< when the key is absent
};

/// A backbone family as data: a row of `resources/families/`. Adding a Llama-like family is one such file.
struct Family
{
    std::string id, title;
    std::vector<std::string> modelTypes;           ///< `model_type` values of config.json
    std::map<std::string, std::string> classes;    ///< token, sequence, language -> `architectures` name
    std::map<std::string, std::string> configKeys; ///< our field -> key of config.json
    std::map<std::string, std::string> tensors;    ///< our part -> tensor name; {layer} stands for the index
    std::string prefix;                            ///< before the tensor names, absent in backbone-only files
    std::string tokenHead, sequenceHead, languageHead; ///< tensor names, the first two without ".weight"
    std::vector<std::string> ignored;                  ///< tensors that may be in a file and change nothing
    std::map<std::string, double> numberDefaults;
    std::map<std::string, std::string> textDefaults;
    std::map<std::string, std::string> activations; ///< spellings that mean another one in this family
    DecoderTraits traits;
    std::optional<bool> attentionBias, outputBias, mlpBias; ///< fixed, whatever config.json says
    bool scaledEmbeddings = false;                          ///< by the root of the width
    WindowKeys window;

    /// Full tensor name of a part in a layer (-1 for parts outside the layers).
    std::string tensorName(const std::string& part, std::int64_t layer = -1) const;
    const std::string& head(bool perToken) const { return perToken ? tokenHead : sequenceHead; }
};

/// All families, parsed once from the embedded files.
std::span<const Family> families();
/// Errors: BadModel naming the unknown `model_type` and the known ones.
Result<const Family*> familyOfModelType(std::string_view modelType);
/// The family of models that are built here from scratch.
const Family& scratchFamily();

} // namespace assay
