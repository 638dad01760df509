#include "core/model/model_config.h"

#include "core/base/json_fault.h"
#include "core/model/config_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

namespace {

using Json = ConfigKeys::Json;

Result<Activation> readActivation(const ConfigKeys& keys)
{
    auto name = keys.text("activation");
    const auto& spellings = keys.family().activations;
    if (const auto found = spellings.find(name); found != spellings.end())
        name = found->second;
    if (name == "silu" || name == "swish")
        return Activation::Silu;
    if (name == "gelu")
        return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
        return Activation::GeluTanh;
    if (name == "relu")
        return Activation::Relu;
    return keys.error(keys.key("activation"), fmt::format("the activation \"{}\" is not known", name));
}

Status readSizes(const ConfigKeys& keys, DecoderConfig& config)
{
    TRY(config.vocabulary, keys.positive("vocabulary"));
    TRY(config.width, keys.positive("width"));
    TRY(config.layers, keys.positive("layers"));
    TRY(config.heads, keys.positive("heads"));
    TRY(config.keyValueHeads, keys.positiveOr("key_value_heads", config.heads));
    // GPT-2 leaves its inner width out: four times the outer one.
    if (config.traits.transposed) {
        TRY(config.mlpWidth, keys.positiveOr("mlp_width", 4 * config.width));
    } else {
        TRY(config.mlpWidth, keys.positive("mlp_width"));
    }
    TRY(config.normEpsilon, keys.number("norm_epsilon", 1e-6));
    TRY(config.maximumPositions, keys.positive("maximum_positions"));
    TRY(config.headWidth, keys.positiveOr("head_width", config.width / config.heads));
    if (config.headWidth < 1 ||
        (config.width % config.heads != 0 && config.headWidth == config.width / config.heads))
        return keys.error(keys.key("heads"),
                          fmt::format("{} heads ({}) do not divide the width {} ({})", config.heads,
                                      keys.key("heads"), config.width, keys.key("width")));
    if (config.heads % config.keyValueHeads != 0)
        return keys.error(keys.key("key_value_heads"),
                          fmt::format("{} query heads cannot share {} key/value heads ({})", config.heads,
                                      config.keyValueHeads, keys.key("key_value_heads")));
    if (config.traits.attentionTensors == AttentionTensors::PerHead && config.heads != config.keyValueHeads)
        return keys.error(keys.key("key_value_heads"), "this family has no shared key/value heads");
    if (!config.traits.learnedPositions && config.headWidth % 2 != 0)
        return keys.error(keys.key("head_width"), "the size of a head must be even for rotary positions");
    return {};
}

Status readScales(const ConfigKeys& keys, DecoderConfig& config)
{
    if (keys.family().scaledEmbeddings)
        config.embeddingScale = std::sqrt(static_cast<double>(config.width));
    TRY(const auto scalar, keys.optionalNumber("attention_scalar"));
    if (scalar && *scalar <= 0.0)
        return keys.error(keys.key("attention_scalar"), "must be positive");
    if (scalar)
        config.attentionScale = 1.0 / std::sqrt(*scalar);
    TRY(config.attentionSoftcap, keys.optionalNumber("attention_softcap"));
    TRY(config.finalSoftcap, keys.optionalNumber("final_softcap"));
    for (const auto& cap : {config.attentionSoftcap, config.finalSoftcap})
        if (cap && *cap <= 0.0)
            return keys.error(keys.key("attention_softcap"), "a cap must be positive");
    return {};
}

/// Switches that other implementations have and that would change what is computed.
Status refuseUnknownSwitches(const ConfigKeys& keys)
{
    const Json& json = keys.json();
    if (json.value("scale_attn_by_inverse_layer_idx", false) || !json.value("scale_attn_weights", true))
        return keys.unsupported("scale_attn_weights",
                                "only attention scaled by the size of a head is supported");
    if (json.contains("use_bidirectional_attention") && json["use_bidirectional_attention"].is_boolean() &&
        json["use_bidirectional_attention"].get<bool>())
        return keys.unsupported("use_bidirectional_attention", "only causal attention is supported");
    if (json.contains("quantization_config") && !json["quantization_config"].is_null())
        return keys.unsupported("quantization_config",
                                "quantised weights are not supported; take the original");
    return {};
}

Result<DecoderConfig> readDecoder(const ConfigKeys& keys)
{
    const Family& family = keys.family();
    DecoderConfig config;
    config.traits = family.traits;
    TRY_STATUS(refuseUnknownSwitches(keys));
    TRY_STATUS(readSizes(keys, config));
    TRY(config.activation, readActivation(keys));
    config.tiedEmbeddings = keys.flag("tied_embeddings");
    config.attentionBias = family.attentionBias.value_or(keys.flag("attention_bias"));
    config.outputBias = family.outputBias.value_or(keys.flag("attention_bias"));
    config.mlpBias = family.mlpBias.value_or(keys.flag("mlp_bias"));
    config.traits.parallelResidual = keys.flag("parallel_residual");
    TRY_STATUS(readScales(keys, config));
    TRY_STATUS(readRotary(keys, config));
    TRY_STATUS(readWindows(keys, config));
    return config;
}

Result<Json> parseConfig(const std::string& text, const std::string& where)
{
    int depth = 0;
    Json json = Json::parse(
        text,
        [&depth](int, Json::parse_event_t event, Json&) {
            depth += event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
            depth -= event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
            return depth < 64;
        },
        false);
    if (!json.is_discarded() && json.is_object())
        return json;
    const auto fault = json.is_discarded() ? jsonFault(text) : std::string();
    return Error{ErrorCode::BadModel, fault.empty() ? "is not a JSON object" : fault, where,
                 "Fetch or copy the file again"};
}

} // namespace

Result<ModelConfig> readModelConfig(std::string text, const std::string& where)
{
    TRY(const Json json, parseConfig(text, where));
    if (!json.contains("model_type") || !json["model_type"].is_string())
        return Error{ErrorCode::BadModel, "\"model_type\" is missing", where + ": model_type"};
    auto family = familyOfModelType(json["model_type"].get<std::string>());
    if (!family) {
        auto error = family.error();
        error.where = where + ": model_type";
        return error;
    }
    ModelConfig config;
    config.family = *family;
    TRY(config.decoder, readDecoder(ConfigKeys(**family, json, where)));
    if (json.contains("architectures") && json["architectures"].is_array() &&
        !json["architectures"].empty() && json["architectures"][0].is_string())
        config.architecture = json["architectures"][0].get<std::string>();
    if (json.contains("id2label") && json["id2label"].is_object())
        config.labels = static_cast<std::int64_t>(json["id2label"].size());
    if (json.contains("pad_token_id") && json["pad_token_id"].is_number_integer())
        config.padId = json["pad_token_id"].get<std::int64_t>();
    for (const char* key : {"dtype", "torch_dtype"})
        if (config.dtype.empty() && json.contains(key) && json[key].is_string())
            config.dtype = json[key].get<std::string>();
    config.json = std::move(text);
    return config;
}

std::string writeModelConfig(const Family& family, const DecoderConfig& config)
{
    Json json;
    json["architectures"] = {family.classes.at("language")};
    json["model_type"] = family.modelTypes.front();
    const auto set = [&](const char* field, const Json& value) {
        if (const auto key = family.configKeys.find(field); key != family.configKeys.end())
            json[key->second] = value;
    };
    set("vocabulary", config.vocabulary);
    set("width", config.width);
    set("layers", config.layers);
    set("heads", config.heads);
    set("key_value_heads", config.keyValueHeads);
    set("head_width", config.headWidth);
    set("mlp_width", config.mlpWidth);
    set("norm_epsilon", config.normEpsilon);
    set("activation", "silu");
    set("maximum_positions", config.maximumPositions);
    set("tied_embeddings", config.tiedEmbeddings);
    set("attention_bias", config.attentionBias);
    set("mlp_bias", config.mlpBias);
    set("rope_theta", config.rotary.theta);
    json["initializer_range"] = config.initialDeviation;
    json["torch_dtype"] = "float32";
    return json.dump(2) + "\n";
}

ModelConfig withVocabulary(ModelConfig config, std::int64_t vocabulary)
{
    config.decoder.vocabulary = vocabulary;
    Json json = Json::parse(config.json);
    json[config.family->configKeys.at("vocabulary")] = vocabulary;
    config.json = json.dump(2) + "\n";
    return config;
}

std::string configForHead(const ModelConfig& config, bool perToken, std::int64_t outputs, bool hiddenLayer)
{
    Json json = Json::parse(config.json);
    std::string architecture = config.family->classes.at(perToken ? "token" : "sequence");
    if (const auto place = architecture.find("ForTokenClassification");
        hiddenLayer && place != std::string::npos)
        architecture.replace(place, std::string::npos, "ForProcessRewardModel");
    json["architectures"] = {architecture};
    json["id2label"] = Json::object();
    json["label2id"] = Json::object();
    for (std::int64_t i = 0; i < outputs; ++i) {
        const std::string name = outputs == 2   ? (i == 0 ? "wrong" : "correct")
                                 : outputs == 1 ? "reward"
                                                : fmt::format("LABEL_{}", i);
        json["id2label"][std::to_string(i)] = name;
        json["label2id"][name] = i;
    }
    // Weights are saved in float32 whatever the original had.
    json.erase("dtype");
    json["torch_dtype"] = "float32";
    return json.dump(2) + "\n";
}

} // namespace assay
