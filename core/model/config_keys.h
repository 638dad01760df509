#pragma once

#include "core/base/result.h"
#include "core/model/families.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// Reads our fields from one config.json through a family's key map and says what is wrong where.
class ConfigKeys
{
public:
    using Json = nlohmann::ordered_json;

    /// All three must outlive it.
    ConfigKeys(const Family& family, const Json& json, const std::string& where)
        : m_family(family)
        , m_json(json)
        , m_where(where)
    {}

    Result<std::int64_t> positive(const std::string& field) const;
    Result<std::int64_t> positiveOr(const std::string& field, std::int64_t fallback) const;
    /// Empty when the file says null, or nothing and the family has no default.
    Result<std::optional<double>> optionalNumber(const std::string& field) const;
    Result<double> number(const std::string& field, double fallback) const;
    bool flag(const std::string& field) const;
    std::string text(const std::string& field) const;

    const Family& family() const { return m_family; }
    const Json& json() const { return m_json; }
    std::string key(const std::string& field) const;
    Error error(const std::string& key, const std::string& message) const;
    Error unsupported(const std::string& key, const std::string& message) const;

private:
    /// The value, or null when it is absent or null in the file.
    const Json* find(const std::string& field) const;
    const double* fallback(const std::string& field) const;

    const Family& m_family;
    const Json& m_json;
    const std::string& m_where;
};

/// `rope_parameters` (new spelling, perhaps by layer type) or `rope_theta` and `rope_scaling` (old) into
/// `config.rotary`, `localRotary` and `rotaryWidth`.
Status readRotary(const ConfigKeys& keys, DecoderConfig& config);
/// `layer_types`, or the family's rule, into `config.windows`.
Status readWindows(const ConfigKeys& keys, DecoderConfig& config);

} // namespace assay
