#include "core/model/config_keys.h"

#include <fmt/format.h>

namespace assay {

std::string ConfigKeys::key(const std::string& field) const
{
    const auto found = m_family.configKeys.find(field);
    return found == m_family.configKeys.end() ? field : found->second;
}

const ConfigKeys::Json* ConfigKeys::find(const std::string& field) const
{
    const auto name = m_family.configKeys.find(field);
    if (name == m_family.configKeys.end())
        return nullptr;
    const auto found = m_json.find(name->second);
    return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

const double* ConfigKeys::fallback(const std::string& field) const
{
    const auto found = m_family.numberDefaults.find(field);
    return found == m_family.numberDefaults.end() ? nullptr : &found->second;
}

Result<std::int64_t> ConfigKeys::positive(const std::string& field) const
{
    const Json* value = find(field);
    if (!value) {
        if (const double* number = fallback(field))
            return static_cast<std::int64_t>(*number);
        return error(key(field), fmt::format("\"{}\" is missing", key(field)));
    }
    if (!value->is_number_integer() || value->get<std::int64_t>() < 1 ||
        value->get<std::int64_t>() > (1 << 28))
        return error(key(field), fmt::format("\"{}\" must be a positive whole number", key(field)));
    return value->get<std::int64_t>();
}

Result<std::int64_t> ConfigKeys::positiveOr(const std::string& field, std::int64_t otherwise) const
{
    return find(field) || fallback(field) ? positive(field) : Result<std::int64_t>(otherwise);
}

Result<std::optional<double>> ConfigKeys::optionalNumber(const std::string& field) const
{
    const Json* value = find(field);
    if (value && !value->is_number())
        return error(key(field), fmt::format("\"{}\" must be a number", key(field)));
    if (value)
        return std::optional(value->get<double>());
    // Written as null it is switched off; left out it has the family's default.
    if (m_json.contains(key(field)) || !fallback(field))
        return std::optional<double>();
    return std::optional(*fallback(field));
}

Result<double> ConfigKeys::number(const std::string& field, double otherwise) const
{
    TRY(const auto value, optionalNumber(field));
    if (value)
        return *value;
    return fallback(field) ? *fallback(field) : otherwise;
}

bool ConfigKeys::flag(const std::string& field) const
{
    const Json* value = find(field);
    if (value && value->is_boolean())
        return value->get<bool>();
    return fallback(field) && *fallback(field) != 0.0;
}

std::string ConfigKeys::text(const std::string& field) const
{
    const Json* value = find(field);
    if (value && value->is_string())
        return value->get<std::string>();
    const auto found = m_family.textDefaults.find(field);
    return found == m_family.textDefaults.end() ? std::string() : found->second;
}

Error ConfigKeys::error(const std::string& key, const std::string& message) const
{
    return Error{ErrorCode::BadModel, message, m_where + ": " + key};
}

Error ConfigKeys::unsupported(const std::string& key, const std::string& message) const
{
    return Error{ErrorCode::Unsupported, message, m_where + ": " + key};
}

} // namespace assay
