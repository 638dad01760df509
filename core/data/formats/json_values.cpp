#include "core/data/formats/json_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace assay {

namespace {

constexpr std::size_t kShownCharacters = 60;

Error badValue(std::string message)
{
    return {ErrorCode::BadData, std::move(message), "", ""};
}

std::string compact(const simdjson::dom::element& value)
{
    std::ostringstream text;
    text << simdjson::minify(value);
    return text.str();
}

/// The value as a message can show it.
std::string shown(const simdjson::dom::element& value)
{
    auto text = compact(value);
    if (text.size() > kShownCharacters) {
        auto end = kShownCharacters;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
            --end;
        text = text.substr(0, end) + "...";
    }
    return text;
}

} // namespace

Result<simdjson::dom::element> requiredValue(const simdjson::dom::object& row, std::string_view key)
{
    simdjson::dom::element value;
    if (row.at_key(key).get(value) == simdjson::SUCCESS)
        return value;
    std::string found;
    for (const auto& field : row) {
        if (found.size() > 200) {
            found += ", ...";
            break;
        }
        found += (found.empty() ? "" : ", ") + std::string(field.key.substr(0, kShownCharacters));
    }
    return badValue("the field `" + std::string(key) +
                    "` is missing (found: " + (found.empty() ? "none" : found) + ")");
}

Result<std::string> textValue(const simdjson::dom::object& row, std::string_view key)
{
    TRY(const auto value, requiredValue(row, key));
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS)
        return badValue("`" + std::string(key) + "` is not a text but " + shown(value));
    return std::string(text);
}

Result<simdjson::dom::array> listValue(const simdjson::dom::object& row, std::string_view key)
{
    TRY(const auto value, requiredValue(row, key));
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS)
        return badValue("`" + std::string(key) + "` is not a list but " + shown(value));
    return list;
}

Result<std::vector<std::string>> textsValue(const simdjson::dom::object& row, std::string_view key)
{
    TRY(const auto list, listValue(row, key));
    std::vector<std::string> texts;
    for (const auto entry : list) {
        std::string_view text;
        if (entry.get(text) != simdjson::SUCCESS)
            return badValue("`" + std::string(key) + "[" + std::to_string(texts.size()) +
                            "]` is not a text but " + shown(entry));
        texts.emplace_back(text);
    }
    return texts;
}

Result<std::int64_t> wholeNumber(const simdjson::dom::element& value, std::string_view what,
                                 std::int64_t minimum, std::int64_t maximum)
{
    std::int64_t number = 0;
    if (value.type() == simdjson::dom::element_type::DOUBLE || value.get(number) != simdjson::SUCCESS)
        return badValue("`" + std::string(what) + "` is not a whole number but " + shown(value));
    if (number < minimum || number > maximum)
        return badValue("`" + std::string(what) + "` is " + std::to_string(number) + ", outside [" +
                        std::to_string(minimum) + ", " + std::to_string(maximum) + "]");
    return number;
}

Result<Label> labelValue(const simdjson::dom::element& value, std::string_view what)
{
    bool flag = false;
    if (value.get(flag) == simdjson::SUCCESS)
        return Label::of(flag ? 1.0F : 0.0F);
    double number = 0.0;
    if (value.is_string() || value.get(number) != simdjson::SUCCESS)
        return badValue("`" + std::string(what) + "` is " + shown(value) +
                        "; a label is true, false or a number from 0 to 1");
    if (!(number >= 0.0 && number <= 1.0))
        return badValue("`" + std::string(what) + "` is " + shown(value) + ", outside [0, 1]" +
                        (number == -100.0 ? "; write null for a step without label" : ""));
    return Label::of(static_cast<float>(number));
}

Result<std::vector<std::int32_t>> idsValue(const simdjson::dom::object& row, std::string_view key)
{
    TRY(const auto list, listValue(row, key));
    std::vector<std::int32_t> ids;
    for (const auto value : list) {
        TRY(const auto id, wholeNumber(value, std::string(key) + "[" + std::to_string(ids.size()) + "]", 0,
                                       std::numeric_limits<std::int32_t>::max()));
        ids.push_back(static_cast<std::int32_t>(id));
    }
    return ids;
}

Result<std::optional<float>> marginValue(const simdjson::dom::object& row)
{
    simdjson::dom::element value;
    if (row.at_key("margin").get(value) != simdjson::SUCCESS || value.is_null())
        return std::optional<float>();
    double margin = 0.0;
    if (value.get(margin) != simdjson::SUCCESS || !std::isfinite(static_cast<float>(margin)))
        return badValue("`margin` is not a number but " + shown(value));
    return std::optional(static_cast<float>(margin));
}

std::vector<std::pair<std::string, std::string>> otherColumns(const simdjson::dom::object& row,
                                                              std::initializer_list<std::string_view> used)
{
    std::vector<std::pair<std::string, std::string>> columns;
    for (const auto& [key, value] : row) {
        if (std::find(used.begin(), used.end(), key) != used.end())
            continue;
        std::string_view text;
        columns.emplace_back(key, value.get(text) == simdjson::SUCCESS ? std::string(text) : compact(value));
    }
    return columns;
}

} // namespace assay
