// How a config.json says where a token stands and how far it sees.
#include "core/model/config_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

namespace {

using Json = ConfigKeys::Json;

/// Reads one rope object: `rope_parameters`, one of its layer types, or `rope_scaling`.
class RopeReader
{
public:
    RopeReader(const ConfigKeys& keys, const Json& settings, std::string key)
        : m_keys(keys)
        , m_settings(settings)
        , m_key(std::move(key))
    {}

    Status read(RotaryConfig& rotary, std::int64_t maximumPositions) const
    {
        if (const Json* theta = number("rope_theta"))
            rotary.theta = theta->get<double>();
        for (const char* name : {"rope_type", "type"})
            if (m_settings.contains(name) && m_settings[name].is_string()) {
                rotary.type = m_settings[name].get<std::string>();
                break;
            }
        if (rotary.type == "longrope" || rotary.type == "su")
            return m_keys.unsupported(m_key,
                                      fmt::format("the rope type \"{}\" is not supported", rotary.type));
        if (rotary.type != "default" && rotary.type != "linear" && rotary.type != "dynamic" &&
            rotary.type != "llama3" && rotary.type != "yarn")
            return m_keys.error(m_key, fmt::format("the rope type \"{}\" is not known", rotary.type));
        if (rotary.type != "default")
            TRY_STATUS(needed("factor", rotary.factor));
        if (rotary.type == "llama3") {
            TRY_STATUS(needed("low_freq_factor", rotary.lowFrequencyFactor));
            TRY_STATUS(needed("high_freq_factor", rotary.highFrequencyFactor));
            TRY_STATUS(needed("original_max_position_embeddings", rotary.originalPositions));
        }
        if (rotary.type == "yarn")
            readYarn(rotary, maximumPositions);
        if (rotary.theta <= 1.0 || rotary.factor <= 0.0 || rotary.originalPositions <= 0.0)
            return m_keys.error(m_key, "rope values must be positive, and the base above 1");
        return {};
    }

private:
    const Json* number(const char* name) const
    {
        return m_settings.contains(name) && m_settings[name].is_number() ? &m_settings[name] : nullptr;
    }
    double numberOr(const char* name, double otherwise) const
    {
        return number(name) ? number(name)->get<double>() : otherwise;
    }
    Status needed(const char* name, double& into) const
    {
        if (!number(name))
            return m_keys.error(m_key, fmt::format("\"{}\" is missing in {}", name, m_key));
        into = number(name)->get<double>();
        return {};
    }

    void readYarn(RotaryConfig& rotary, std::int64_t maximumPositions) const
    {
        rotary.originalPositions =
            numberOr("original_max_position_embeddings", static_cast<double>(maximumPositions));
        rotary.fastRotations = numberOr("beta_fast", 32.0);
        rotary.slowRotations = numberOr("beta_slow", 1.0);
        rotary.wholeBounds = m_settings.value("truncate", true);
        const auto grown = [&rotary](double share) {
            return rotary.factor <= 1.0 ? 1.0 : 0.1 * share * std::log(rotary.factor) + 1.0;
        };
        const double ofAll = numberOr("mscale_all_dim", 0.0);
        const double amplitude = numberOr("mscale", 0.0) != 0.0 && ofAll != 0.0
                                     ? grown(numberOr("mscale", 0.0)) / grown(ofAll)
                                     : grown(1.0);
        rotary.amplitude = numberOr("attention_factor", amplitude);
    }

    const ConfigKeys& m_keys;
    const Json& m_settings;
    std::string m_key;
};

const Json* object(const Json& json, const char* key)
{
    return json.contains(key) && json[key].is_object() ? &json[key] : nullptr;
}

} // namespace

Status readRotary(const ConfigKeys& keys, DecoderConfig& config)
{
    TRY(config.rotary.theta, keys.number("rope_theta", 10000.0));
    TRY(double share, keys.number("partial_rotary", 1.0));
    TRY(const auto localTheta, keys.optionalNumber("local_rope_theta"));
    if (localTheta)
        config.localRotary = RotaryConfig{.theta = *localTheta};
    const Json* settings = object(keys.json(), "rope_parameters");
    const char* key = settings ? "rope_parameters" : "rope_scaling";
    if (!settings)
        settings = object(keys.json(), key);
    if (settings) {
        if (const Json* local = object(*settings, "sliding_attention")) {
            config.localRotary = RotaryConfig{};
            TRY_STATUS(RopeReader(keys, *local, key).read(*config.localRotary, config.maximumPositions));
        }
        if (const Json* full = object(*settings, "full_attention"))
            settings = full;
        TRY_STATUS(RopeReader(keys, *settings, key).read(config.rotary, config.maximumPositions));
        if (settings->contains("partial_rotary_factor") && (*settings)["partial_rotary_factor"].is_number())
            share = (*settings)["partial_rotary_factor"].get<double>();
    }
    const auto rotated = static_cast<std::int64_t>(static_cast<double>(config.headWidth) * share);
    if (!config.traits.learnedPositions && (rotated < 2 || rotated > config.headWidth || rotated % 2 != 0))
        return keys.error(
            keys.key("head_width"),
            fmt::format("the rotated part of a head ({} of {}) must be even", rotated, config.headWidth));
    config.rotaryWidth = rotated;
    return {};
}

Status readWindows(const ConfigKeys& keys, DecoderConfig& config)
{
    const WindowKeys& rule = keys.family().window;
    const Json& json = keys.json();
    if (rule.size.empty())
        return {};
    std::int64_t size = rule.defaultSize;
    if (const auto found = json.find(rule.size); found != json.end()) {
        if (!found->is_null() && (!found->is_number_integer() || found->get<std::int64_t>() < 1))
            return keys.error(rule.size,
                              fmt::format("\"{}\" must be a positive whole number or null", rule.size));
        size = found->is_null() ? 0 : found->get<std::int64_t>();
    }
    if (!rule.enabled.empty() && !json.value(rule.enabled, false))
        size = 0;
    const auto whole = [&json](const std::string& key, std::int64_t otherwise) {
        return !key.empty() && json.contains(key) && json[key].is_number_integer()
                   ? json[key].get<std::int64_t>()
                   : otherwise;
    };
    const auto pattern = whole(rule.pattern, rule.defaultPattern);
    const auto first = whole(rule.firstLayer, 0);
    const auto types = json.find("layer_types");
    const bool named = types != json.end() && types->is_array();
    if (named && static_cast<std::int64_t>(types->size()) != config.layers)
        return keys.error("layer_types", fmt::format("names {} layers of {}", types->size(), config.layers));
    bool any = false;
    std::vector<std::int64_t> windows;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        bool cut = layer >= first && (pattern <= 0 || (layer + 1) % pattern != 0);
        if (named) {
            const Json& type = (*types)[static_cast<std::size_t>(layer)];
            if (type != "sliding_attention" && type != "full_attention")
                return keys.unsupported("layer_types",
                                        fmt::format("layers of type {} are not supported", type.dump()));
            cut = type == "sliding_attention";
            if (cut && size == 0)
                return keys.error(rule.size, "layers with a window need its size");
        }
        windows.push_back(cut ? size : 0);
        any = any || windows.back() > 0;
    }
    if (any)
        config.windows = std::move(windows);
    return {};
}

} // namespace assay
