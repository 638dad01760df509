#include "core/config/json.h"

#include "core/base/durable_file.h"
#include "core/base/json_fault.h"
#include "core/config/fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const FieldValue& value)
{
    return std::visit(
        [](const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                return Json(nullptr);
            else
                return Json(v);
        },
        value);
}

Error wrongType(const Field& field, const char* expected)
{
    return Error{ErrorCode::Usage, fmt::format("Must be {}", expected), std::string(field.id)};
}

template <typename T, typename Predicate>
Result<FieldValue> listFrom(const Field& field, const Json& json, Predicate fits, const char* expected)
{
    if (!json.is_array())
        return wrongType(field, expected);
    std::vector<T> values;
    for (const auto& item : json) {
        if (!fits(item))
            return wrongType(field, expected);
        values.push_back(item.template get<T>());
    }
    return FieldValue(std::move(values));
}

Result<FieldValue> fromJson(const Field& field, const Json& json)
{
    if (field.optional && json.is_null())
        return FieldValue(std::monostate{});
    switch (field.type) {
    case FieldType::Boolean:
        if (!json.is_boolean())
            return wrongType(field, "true or false");
        return FieldValue(json.get<bool>());
    case FieldType::Integer:
        if (!json.is_number_integer())
            return wrongType(field, "a whole number");
        return FieldValue(json.get<std::int64_t>());
    case FieldType::Number:
        if (!json.is_number())
            return wrongType(field, "a number");
        return FieldValue(json.get<double>());
    case FieldType::Text:
    case FieldType::Choice:
    case FieldType::Path:
        if (!json.is_string())
            return wrongType(field, "a text");
        return FieldValue(json.get<std::string>());
    case FieldType::TextList:
        return listFrom<std::string>(
            field, json, [](const Json& item) { return item.is_string(); }, "a list of texts");
    case FieldType::NumberList:
        return listFrom<double>(
            field, json, [](const Json& item) { return item.is_number(); }, "a list of numbers");
    }
    return wrongType(field, "known");
}

std::string shellQuoted(const std::string& text)
{
    const bool plain =
        !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789._-/:,+=@%") == std::string::npos;
    if (plain)
        return text;
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace

std::string configToJson(const ExperimentConfig& config, JsonDetail detail)
{
    Json json = Json::object();
    for (const auto& field : experimentFields())
        if (detail == JsonDetail::All || !isDefault(config, field))
            json[std::string(field.id)] = toJson(field.read(config));
    return json.dump(2) + "\n";
}

Result<ExperimentConfig> configFromJson(std::string_view text, ExperimentConfig config)
{
    std::vector<std::string> keys;
    std::string duplicate;
    int depth = 0;
    const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start)
            ++depth;
        if (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end)
            --depth;
        if (event == Json::parse_event_t::key && depth == 1) {
            const auto key = parsed.get<std::string>();
            if (std::find(keys.begin(), keys.end(), key) != keys.end())
                duplicate = key;
            keys.push_back(key);
        }
        return depth < 16;
    };
    const Json json = Json::parse(text, watch, false);
    const auto fault = json.is_discarded() ? jsonFault(text) : std::string();
    if (json.is_discarded() || !json.is_object())
        return Error{ErrorCode::Usage,
                     fault.empty() ? "Is not a JSON object" : fault,
                     {},
                     "Write {\"data.train\": \"rows.jsonl\", ...}"};
    if (!duplicate.empty())
        return Error{ErrorCode::Usage, "The key stands twice", duplicate};
    for (const auto& [key, value] : json.items()) {
        const Field* field = findField(key);
        if (!field)
            return setField(config, key, "").error();
        TRY(auto parsed, fromJson(*field, value));
        TRY_STATUS(checkField(*field, parsed));
        field->write(config, std::move(parsed));
    }
    return config;
}

Result<ExperimentConfig> readExperiment(const std::filesystem::path& path, ExperimentConfig base)
{
    TRY(const auto text, readFile(path, 16 << 20));
    auto config = configFromJson(text, std::move(base));
    if (!config) {
        auto error = config.error();
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    }
    for (const auto& field : experimentFields()) {
        if (field.type != FieldType::Path)
            continue;
        const auto value = std::get<std::string>(field.read(*config));
        if (!value.empty() && std::filesystem::path(value).is_relative())
            field.write(*config, (path.parent_path() / value).lexically_normal().string());
    }
    return config;
}

std::vector<ConfigDifference> differences(const ExperimentConfig& first, const ExperimentConfig& second)
{
    std::vector<ConfigDifference> result;
    for (const auto& field : experimentFields()) {
        auto a = field.read(first);
        auto b = field.read(second);
        if (a != b)
            result.push_back({std::string(field.id), fieldText(field, a), fieldText(field, b)});
    }
    return result;
}

std::string configAsCommand(const ExperimentConfig& config)
{
    std::string command = "assay train";
    for (const auto& field : experimentFields())
        if (isActive(config, field) && !isDefault(config, field))
            command += fmt::format(" --{} {}", field.id, shellQuoted(fieldText(field, field.read(config))));
    return command;
}

} // namespace assay
