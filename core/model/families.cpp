#include "core/model/families.h"

#include "core/base/check.h"
#include "core/base/embedded_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> textMap(const Json& json)
{
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : json.items())
        result[key] = value.get<std::string>();
    return result;
}

DecoderTraits parseTraits(const Json& json)
{
    DecoderTraits traits;
    const auto norm = json.value("norm", "rms");
    CHECK(norm == "rms" || norm == "layer", "a known norm in the family's row");
    traits.norm = norm == "layer" ? NormKind::Layer : NormKind::Rms;
    traits.normOffset = json.value("norm_offset", 0.0);
    traits.postNorms = json.value("post_norms", false);
    traits.queryKeyNorm = json.value("query_key_norm", false);
    traits.gatedMlp = json.value("gated_mlp", true);
    traits.fusedGate = json.value("fused_gate", false);
    traits.transposed = json.value("transposed", false);
    traits.learnedPositions = json.value("learned_positions", false);
    const auto tensors = json.value("attention_tensors", "separate");
    CHECK(tensors == "separate" || tensors == "stacked" || tensors == "per_head", "a known arrangement");
    traits.attentionTensors = tensors == "stacked"    ? AttentionTensors::Stacked
                              : tensors == "per_head" ? AttentionTensors::PerHead
                                                      : AttentionTensors::Separate;
    return traits;
}

std::optional<bool> fixed(const Json& json, const char* key)
{
    return json.contains(key) ? std::optional(json[key].get<bool>()) : std::nullopt;
}

Family parseFamily(std::string_view text)
{
    const Json json = Json::parse(text);
    Family family;
    family.id = json.at("id");
    family.title = json.at("title");
    family.modelTypes = json.at("model_types").get<std::vector<std::string>>();
    family.classes = textMap(json.at("classes"));
    family.configKeys = textMap(json.at("config"));
    family.tensors = textMap(json.at("tensors"));
    family.prefix = json.at("prefix");
    family.sequenceHead = json.at("head");
    family.tokenHead = json.value("token_head", family.sequenceHead);
    family.languageHead = json.at("language_head");
    family.ignored = json.at("ignored").get<std::vector<std::string>>();
    for (const auto& [key, value] : json.at("defaults").items()) {
        if (value.is_number())
            family.numberDefaults[key] = value.get<double>();
        else if (value.is_boolean())
            family.numberDefaults[key] = value.get<bool>() ? 1.0 : 0.0;
        else
            family.textDefaults[key] = value.get<std::string>();
    }
    if (json.contains("activations"))
        family.activations = textMap(json["activations"]);
    const Json decoder = json.value("decoder", Json::object());
    family.traits = parseTraits(decoder);
    family.attentionBias = fixed(decoder, "attention_bias");
    family.outputBias = fixed(decoder, "output_bias");
    family.mlpBias = fixed(decoder, "mlp_bias");
    family.scaledEmbeddings = decoder.value("scaled_embeddings", false);
    if (json.contains("window")) {
        const Json& window = json["window"];
        family.window = {
            window.at("size"),           window.value("enabled", ""),        window.value("first_layer", ""),
            window.value("pattern", ""), window.value("default_pattern", 0), window.value("default_size", 0)};
    }
    return family;
}

} // namespace

std::string Family::tensorName(const std::string& part, std::int64_t layer) const
{
    std::string name = prefix + tensors.at(part);
    if (const auto place = name.find("{layer}"); place != std::string::npos)
        name.replace(place, 7, std::to_string(layer));
    return name;
}

std::span<const Family> families()
{
    static const std::vector<Family> kFamilies = [] {
        std::vector<Family> result;
        for (const auto& file : embeddedFamilies())
            result.push_back(parseFamily(file.content));
        return result;
    }();
    return kFamilies;
}

Result<const Family*> familyOfModelType(std::string_view modelType)
{
    std::vector<std::string> known;
    for (const auto& family : families()) {
        if (std::find(family.modelTypes.begin(), family.modelTypes.end(), modelType) !=
            family.modelTypes.end())
            return &family;
        known.insert(known.end(), family.modelTypes.begin(), family.modelTypes.end());
    }
    return Error{ErrorCode::BadModel, fmt::format("the model type \"{}\" is not known", modelType),
                 "model_type", fmt::format("Known: {}", fmt::join(known, ", "))};
}

const Family& scratchFamily()
{
    const auto family = familyOfModelType("llama");
    CHECK(family.ok(), "the Llama family is embedded");
    return **family;
}

} // namespace assay
