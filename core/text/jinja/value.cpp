#include "core/text/jinja/value.h"

#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::jinja {

namespace {

std::string floatText(double value)
{
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    if (std::isnan(value))
        return "nan";
    // The shortest text that reads back as the same number, in Python's choice of notation.
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e16)) {
        auto text = fmt::format("{:e}", value);
        for (int digits = 0; digits < 17; ++digits)
            if (text = fmt::format("{:.{}e}", value, digits); std::stod(text) == value)
                break;
        return text;
    }
    auto text = fmt::format("{}", value);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string pythonQuoted(std::string_view text)
{
    const char quote =
        text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\\' || c == quote)
            out += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + quote;
}

std::string joinedItems(const std::vector<Value>& items)
{
    std::string out;
    for (const auto& item : items)
        out += (out.empty() ? "" : ", ") + item.represent();
    return out;
}

struct TypeNames
{
    std::string_view operator()(const Undefined&) const { return "Undefined"; }
    std::string_view operator()(const None&) const { return "NoneType"; }
    std::string_view operator()(bool) const { return "bool"; }
    std::string_view operator()(std::int64_t) const { return "int"; }
    std::string_view operator()(double) const { return "float"; }
    std::string_view operator()(const std::string&) const { return "str"; }
    std::string_view operator()(const Value::ListPtr&) const { return "list"; }
    std::string_view operator()(const Value::DictPtr&) const { return "dict"; }
    std::string_view operator()(const Value::NamespacePtr&) const { return "namespace"; }
    std::string_view operator()(const Value::MacroPtr&) const { return "macro"; }
};

std::string jsonText(std::string_view text)
{
    return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

Value* Dict::find(std::string_view key)
{
    const auto found =
        std::find_if(items.begin(), items.end(), [&key](const auto& item) { return item.first == key; });
    return found == items.end() ? nullptr : &found->second;
}

const Value* Dict::find(std::string_view key) const
{
    const auto found =
        std::find_if(items.begin(), items.end(), [&key](const auto& item) { return item.first == key; });
    return found == items.end() ? nullptr : &found->second;
}

void Dict::set(std::string_view key, Value value)
{
    if (auto* known = find(key))
        *known = std::move(value);
    else
        items.emplace_back(std::string(key), std::move(value));
}

Value Value::fromJson(const nlohmann::ordered_json& json)
{
    if (json.is_boolean())
        return of(json.get<bool>());
    if (json.is_number_integer())
        return of(json.get<std::int64_t>());
    if (json.is_number())
        return of(json.get<double>());
    if (json.is_string())
        return of(json.get<std::string>());
    if (json.is_array()) {
        std::vector<Value> items;
        for (const auto& item : json)
            items.push_back(fromJson(item));
        return list(std::move(items));
    }
    if (json.is_object()) {
        Dict made;
        for (const auto& [key, item] : json.items())
            made.items.emplace_back(key, fromJson(item));
        return dict(std::move(made));
    }
    return none();
}

const std::vector<Value>* Value::items() const
{
    const auto* list = as<ListPtr>();
    return list ? &(*list)->items : nullptr;
}

const Dict* Value::mapping() const
{
    if (const auto* dict = as<DictPtr>())
        return dict->get();
    const auto* space = as<NamespacePtr>();
    return space ? space->get() : nullptr;
}

std::optional<std::int64_t> Value::integer() const
{
    if (const auto* value = as<std::int64_t>())
        return *value;
    const auto* flag = as<bool>();
    return flag ? std::optional<std::int64_t>(*flag ? 1 : 0) : std::nullopt;
}

std::optional<double> Value::number() const
{
    if (const auto* value = as<double>())
        return *value;
    const auto whole = integer();
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool Value::truth() const
{
    if (isUndefined() || isNone())
        return false;
    if (const auto value = number())
        return *value != 0.0;
    if (const auto* value = text())
        return !value->empty();
    if (const auto* list = items())
        return !list->empty();
    const auto* dict = as<DictPtr>();
    return !dict || !(*dict)->items.empty();
}

std::string Value::print() const
{
    if (isUndefined())
        return {};
    return text() ? *text() : represent();
}

std::string Value::represent() const
{
    if (isUndefined())
        return "Undefined";
    if (isNone())
        return "None";
    if (const auto* flag = as<bool>())
        return *flag ? "True" : "False";
    if (const auto* whole = as<std::int64_t>())
        return std::to_string(*whole);
    if (const auto* value = as<double>())
        return floatText(*value);
    if (text())
        return pythonQuoted(*text());
    if (items())
        return "[" + joinedItems(*items()) + "]";
    if (const auto* dict = as<DictPtr>()) {
        std::string out;
        for (const auto& [key, value] : (*dict)->items)
            out += (out.empty() ? "" : ", ") + pythonQuoted(key) + ": " + value.represent();
        return "{" + out + "}";
    }
    throw Fault(fmt::format("a {} cannot be written as text", typeName()));
}

std::string_view Value::typeName() const
{
    return std::visit(TypeNames(), m_state);
}

bool Value::operator==(const Value& other) const
{
    if (number() && other.number())
        return *number() == *other.number();
    if (m_state.index() != other.m_state.index())
        return false;
    if (text())
        return *text() == *other.text();
    if (items())
        return std::equal(items()->begin(), items()->end(), other.items()->begin(), other.items()->end());
    if (as<DictPtr>()) {
        const auto &a = *mapping(), &b = *other.mapping();
        return a.items.size() == b.items.size() &&
               std::all_of(a.items.begin(), a.items.end(), [&b](const auto& item) {
                   const auto* found = b.find(item.first);
                   return found && *found == item.second;
               });
    }
    return isUndefined() || isNone() || mapping() == other.mapping();
}

bool lessThan(const Value& left, const Value& right)
{
    if (left.number() && right.number())
        return *left.number() < *right.number();
    if (left.text() && right.text())
        return *left.text() < *right.text();
    throw Fault(fmt::format("a {} and a {} have no order", left.typeName(), right.typeName()));
}

std::string toJson(const Value& value, std::optional<std::int64_t> indent, bool sortKeys, std::size_t depth)
{
    if (value.isNone())
        return "null";
    if (const auto* flag = value.as<bool>())
        return *flag ? "true" : "false";
    if (value.number())
        return value.represent();
    if (value.text())
        return jsonText(*value.text());
    const auto step = static_cast<std::size_t>(std::clamp<std::int64_t>(indent.value_or(0), 0, 32));
    const std::string inner = indent ? "\n" + std::string(step * (depth + 1), ' ') : "";
    const std::string outer = indent ? "\n" + std::string(step * depth, ' ') : "";
    const std::string comma = indent ? "," + inner : ", ";
    std::string out;
    if (const auto* items = value.items()) {
        for (const auto& item : *items)
            out += (out.empty() ? inner : comma) + toJson(item, indent, sortKeys, depth + 1);
        return items->empty() ? "[]" : "[" + out + outer + "]";
    }
    if (const auto* dict = value.as<Value::DictPtr>()) {
        auto items = (*dict)->items;
        if (sortKeys)
            std::sort(items.begin(), items.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [key, item] : items)
            out += (out.empty() ? inner : comma) + jsonText(key) + ": " +
                   toJson(item, indent, sortKeys, depth + 1);
        return items.empty() ? "{}" : "{" + out + outer + "}";
    }
    throw Fault(fmt::format("a {} cannot be written as JSON", value.typeName()));
}

std::vector<Value> elementsOf(const Value& value)
{
    if (value.items())
        return *value.items();
    std::vector<Value> elements;
    if (value.isUndefined())
        return elements;
    if (const auto* dict = value.as<Value::DictPtr>()) {
        for (const auto& item : (*dict)->items)
            elements.push_back(Value::of(item.first));
        return elements;
    }
    const auto* text = value.text();
    if (!text)
        throw Fault(fmt::format("a {} cannot be looped over", value.typeName()));
    for (std::size_t at = 0; at < text->size();) {
        const auto bytes = codePointAt(*text, at).bytes;
        elements.push_back(Value::of(std::string_view(*text).substr(at, bytes)));
        at += bytes;
    }
    return elements;
}

} // namespace assay::jinja
