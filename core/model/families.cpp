#include "core/model/families.h"

#include "core/base/check.h"
#include "core/base/embedded_file.h"
#include "core/base/json_fault.h"

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
    family.head = json.at("head");
    family.languageHead = json.at("language_head");
    family.ignored = json.at("ignored").get<std::vector<std::string>>();
    for (const auto& [key, value] : json.at("defaults").items()) {
        if (value.is_number())
            family.numberDefaults[key] = value.get<double>();
        else
            family.textDefaults[key] = value.get<std::string>();
    }
    return family;
}

/// Reads fields of one config.json through a family's key map and says what is missing where.
class ConfigReader
{
public:
    ConfigReader(const Family& family, const Json& json, const std::string& where)
        : m_family(family)
        , m_json(json)
        , m_where(where)
    {}

    Result<std::int64_t> positive(const std::string& field) const
    {
        const auto key = m_family.configKeys.at(field);
        const auto found = m_json.find(key);
        if (found == m_json.end() || found->is_null()) {
            const auto fallback = m_family.numberDefaults.find(field);
            if (fallback != m_family.numberDefaults.end())
                return static_cast<std::int64_t>(fallback->second);
            return error(key, fmt::format("\"{}\" is missing", key));
        }
        if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
            found->get<std::int64_t>() > (1 << 28))
            return error(key, fmt::format("\"{}\" must be a positive whole number", key));
        return found->get<std::int64_t>();
    }

    Result<std::int64_t> positiveOr(const std::string& field, std::int64_t fallback) const
    {
        const auto found = m_json.find(m_family.configKeys.at(field));
        if (found == m_json.end() || found->is_null())
            return fallback;
        return positive(field);
    }

    Result<double> number(const std::string& field) const
    {
        const auto key = m_family.configKeys.at(field);
        const auto found = m_json.find(key);
        if (found == m_json.end() || found->is_null())
            return m_family.numberDefaults.at(field);
        if (!found->is_number())
            return error(key, fmt::format("\"{}\" must be a number", key));
        return found->get<double>();
    }

    bool flag(const std::string& field) const
    {
        const auto found = m_json.find(m_family.configKeys.at(field));
        return found != m_json.end() && found->is_boolean() && found->get<bool>();
    }

    std::string text(const std::string& field) const
    {
        const auto found = m_json.find(m_family.configKeys.at(field));
        return found != m_json.end() && found->is_string() ? found->get<std::string>()
                                                           : m_family.textDefaults.at(field);
    }

    Error error(const std::string& key, const std::string& message) const
    {
        return Error{ErrorCode::BadModel, message, m_where + ": " + key};
    }

    /// `rope_parameters` (new spelling) or `rope_theta` and `rope_scaling` (old).
    Result<RotaryConfig> rotary() const
    {
        RotaryConfig rotary;
        const auto isObject = [this](const char* key) {
            return m_json.contains(key) && m_json[key].is_object();
        };
        const char* key = isObject("rope_parameters") ? "rope_parameters" : "rope_scaling";
        if (m_json.contains("rope_theta") && m_json["rope_theta"].is_number())
            rotary.theta = m_json["rope_theta"].get<double>();
        if (!isObject(key))
            return rotary;
        const Json& settings = m_json[key];
        if (settings.contains("rope_theta") && settings["rope_theta"].is_number())
            rotary.theta = settings["rope_theta"].get<double>();
        for (const char* name : {"rope_type", "type"})
            if (settings.contains(name) && settings[name].is_string()) {
                rotary.type = settings[name].get<std::string>();
                break;
            }
        if (rotary.type == "dynamic" || rotary.type == "yarn" || rotary.type == "longrope")
            return Error{ErrorCode::Unsupported,
                         fmt::format("the rope type \"{}\" is not supported yet", rotary.type),
                         m_where + ": " + key};
        if (rotary.type != "default" && rotary.type != "linear" && rotary.type != "llama3")
            return error(key, fmt::format("the rope type \"{}\" is not known", rotary.type));
        const auto read = [&](const char* name, double& into) -> Status {
            if (!settings.contains(name) || !settings[name].is_number())
                return error(key, fmt::format("the rope type \"{}\" needs \"{}\"", rotary.type, name));
            into = settings[name].get<double>();
            return {};
        };
        if (rotary.type != "default")
            TRY_STATUS(read("factor", rotary.factor));
        if (rotary.type == "llama3") {
            TRY_STATUS(read("low_freq_factor", rotary.lowFrequencyFactor));
            TRY_STATUS(read("high_freq_factor", rotary.highFrequencyFactor));
            TRY_STATUS(read("original_max_position_embeddings", rotary.originalPositions));
        }
        return rotary;
    }

private:
    const Family& m_family;
    const Json& m_json;
    const std::string& m_where;
};

Result<DecoderConfig> readDecoder(const ConfigReader& reader, const Family& family)
{
    DecoderConfig config;
    TRY(config.vocabulary, reader.positive("vocabulary"));
    TRY(config.width, reader.positive("width"));
    TRY(config.layers, reader.positive("layers"));
    TRY(config.heads, reader.positive("heads"));
    TRY(config.keyValueHeads, reader.positiveOr("key_value_heads", config.heads));
    TRY(config.mlpWidth, reader.positive("mlp_width"));
    TRY(config.normEpsilon, reader.number("norm_epsilon"));
    TRY(config.maximumPositions, reader.positive("maximum_positions"));
    TRY(config.headWidth, reader.positiveOr("head_width", config.width / config.heads));
    const auto& keys = family.configKeys;
    if (config.headWidth < 1 ||
        (config.width % config.heads != 0 && config.headWidth == config.width / config.heads))
        return reader.error(keys.at("heads"),
                            fmt::format("{} heads ({}) do not divide the width {} ({})", config.heads,
                                        keys.at("heads"), config.width, keys.at("width")));
    if (config.heads % config.keyValueHeads != 0)
        return reader.error(keys.at("key_value_heads"),
                            fmt::format("{} query heads cannot share {} key/value heads ({})", config.heads,
                                        config.keyValueHeads, keys.at("key_value_heads")));
    if (config.headWidth % 2 != 0)
        return reader.error(keys.at("head_width"), "the size of a head must be even for rotary positions");
    if (const auto activation = reader.text("activation"); activation != "silu" && activation != "swish")
        return reader.error(keys.at("activation"),
                            fmt::format("the activation \"{}\" is not known for this family", activation));
    config.tiedEmbeddings = reader.flag("tied_embeddings");
    config.attentionBias = reader.flag("attention_bias");
    config.mlpBias = reader.flag("mlp_bias");
    TRY(config.rotary, reader.rotary());
    return config;
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

Result<ModelConfig> readModelConfig(std::string text, const std::string& where)
{
    int depth = 0;
    const Json json = Json::parse(
        text,
        [&depth](int, Json::parse_event_t event, Json&) {
            depth += event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
            depth -= event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
            return depth < 64;
        },
        false);
    const auto fault = json.is_discarded() ? jsonFault(text) : std::string();
    if (json.is_discarded() || !json.is_object())
        return Error{ErrorCode::BadModel, fault.empty() ? "is not a JSON object" : fault, where,
                     "Fetch or copy the file again"};
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
    const ConfigReader reader(**family, json, where);
    TRY(config.decoder, readDecoder(reader, **family));
    if (json.contains("architectures") && json["architectures"].is_array() &&
        !json["architectures"].empty() && json["architectures"][0].is_string())
        config.architecture = json["architectures"][0].get<std::string>();
    if (json.contains("id2label") && json["id2label"].is_object())
        config.labels = static_cast<std::int64_t>(json["id2label"].size());
    for (const char* key : {"dtype", "torch_dtype"})
        if (config.dtype.empty() && json.contains(key) && json[key].is_string())
            config.dtype = json[key].get<std::string>();
    config.json = std::move(text);
    return config;
}

std::string writeModelConfig(const Family& family, const DecoderConfig& config)
{
    const auto& keys = family.configKeys;
    Json json;
    json["architectures"] = {family.classes.at("language")};
    json["model_type"] = family.modelTypes.front();
    json[keys.at("vocabulary")] = config.vocabulary;
    json[keys.at("width")] = config.width;
    json[keys.at("layers")] = config.layers;
    json[keys.at("heads")] = config.heads;
    json[keys.at("key_value_heads")] = config.keyValueHeads;
    json[keys.at("head_width")] = config.headWidth;
    json[keys.at("mlp_width")] = config.mlpWidth;
    json[keys.at("norm_epsilon")] = config.normEpsilon;
    json[keys.at("activation")] = "silu";
    json[keys.at("maximum_positions")] = config.maximumPositions;
    json[keys.at("tied_embeddings")] = config.tiedEmbeddings;
    json[keys.at("attention_bias")] = config.attentionBias;
    json[keys.at("mlp_bias")] = config.mlpBias;
    json["rope_theta"] = config.rotary.theta;
    json["initializer_range"] = config.initialDeviation;
    json["torch_dtype"] = "float32";
    return json.dump(2) + "\n";
}

std::string configForHead(const ModelConfig& config, bool perToken, std::int64_t outputs)
{
    Json json = Json::parse(config.json);
    json["architectures"] = {config.family->classes.at(perToken ? "token" : "sequence")};
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
