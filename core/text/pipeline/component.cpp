#include "core/text/pipeline/component.h"

namespace assay {

namespace {

constexpr std::size_t kMaximumParts = 64;

} // namespace

const nlohmann::json* Component::field(std::string_view key) const
{
    if (!m_json->is_object())
        return nullptr;
    const auto found = m_json->find(key);
    return found == m_json->end() || found->is_null() ? nullptr : &*found;
}

bool Component::has(std::string_view key) const
{
    return field(key) != nullptr;
}

Error Component::refuse(std::string_view message) const
{
    return {ErrorCode::BadModel, m_path + ": " + std::string(message)};
}

Error Component::unknownType(std::string_view kind, std::string_view type) const
{
    return {ErrorCode::Unsupported,
            m_path + ": the " + std::string(kind) + " \"" + std::string(type.substr(0, 80)) +
                "\" is not known here",
            "", "Choose a model with another tokenizer"};
}

Result<std::string> Component::type() const
{
    return text("type");
}

Result<std::string> Component::text(std::string_view key) const
{
    const auto* value = field(key);
    if (!value || !value->is_string())
        return refuse("\"" + std::string(key) + "\" must be a text");
    return value->get<std::string>();
}

Result<std::string> Component::textOr(std::string_view key, std::string missing) const
{
    return has(key) ? text(key) : Result<std::string>(std::move(missing));
}

Result<bool> Component::flagOr(std::string_view key, bool missing) const
{
    const auto* value = field(key);
    if (!value)
        return missing;
    if (!value->is_boolean())
        return refuse("\"" + std::string(key) + "\" must be true or false");
    return value->get<bool>();
}

Result<std::int64_t> Component::number(std::string_view key) const
{
    const auto* value = field(key);
    if (!value || !value->is_number_integer())
        return refuse("\"" + std::string(key) + "\" must be an integer");
    return value->get<std::int64_t>();
}

Result<std::int64_t> Component::numberOr(std::string_view key, std::int64_t missing) const
{
    return has(key) ? number(key) : Result<std::int64_t>(missing);
}

Result<Component> Component::object(std::string_view key) const
{
    const auto* value = field(key);
    if (!value || !value->is_object())
        return refuse("\"" + std::string(key) + "\" must be an object");
    return Component(*value, m_path + "." + std::string(key));
}

Result<std::vector<Component>> Component::objects(std::string_view key) const
{
    const auto* value = field(key);
    if (!value || !value->is_array())
        return refuse("\"" + std::string(key) + "\" must be a list");
    if (value->size() > kMaximumParts)
        return refuse("\"" + std::string(key) + "\" has " + std::to_string(value->size()) +
                      " parts, at most " + std::to_string(kMaximumParts) + " are taken");
    std::vector<Component> parts;
    for (std::size_t i = 0; i < value->size(); ++i) {
        const auto path = m_path + "." + std::string(key) + "[" + std::to_string(i) + "]";
        if (!(*value)[i].is_object())
            return Error{ErrorCode::BadModel, path + ": must be an object"};
        parts.emplace_back((*value)[i], path);
    }
    return parts;
}

std::optional<std::int32_t> tokenIdFrom(const nlohmann::json& json)
{
    if (!json.is_number_integer())
        return std::nullopt;
    const auto id = json.get<std::int64_t>();
    return id >= 0 && id <= INT32_MAX ? std::optional(static_cast<std::int32_t>(id)) : std::nullopt;
}

} // namespace assay
