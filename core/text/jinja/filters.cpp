#include "core/text/jinja/library.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace assay::jinja {

namespace {

using Filter = Value (*)(const Value&, const Arguments&, Budget&);

const std::string& textOf(const Value& value, std::string_view filter)
{
    if (const auto* unknown = value.as<Undefined>())
        throw Fault(unknown->what);
    if (!value.text())
        throw Fault(fmt::format("the filter \"{}\" needs a str, not a {}", filter, value.typeName()));
    return *value.text();
}

/// The text in upper case; or its first letter, and the rest in lower case.
std::string cased(std::string_view text, bool upper, bool first, bool restLower)
{
    std::string out;
    bool begin = true;
    for (std::size_t at = 0; at < text.size();) {
        const auto character = codePointAt(text, at);
        const auto part = text.substr(at, character.bytes);
        const bool raise = upper || (first && begin);
        if (raise)
            appendCodePoint(out, upperCase(character.value));
        else if (restLower)
            for (const char32_t lower : lowerCase(character.value))
                appendCodePoint(out, lower);
        else
            out += part;
        begin = false;
        at += character.bytes;
    }
    return out;
}

Value trim(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(1, {"chars"});
    const auto* characters = arguments.find("chars", 0);
    return Value::of(stripped(value.print(), characters ? characters->text() : nullptr, true, true));
}

Value length(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    if (const auto* text = value.text())
        return Value::of(static_cast<std::int64_t>(countCodePoints(*text)));
    return Value::of(static_cast<std::int64_t>(elementsOf(value).size()));
}

Value upper(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return Value::of(cased(value.print(), true, false, false));
}

Value lower(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return Value::of(cased(value.print(), false, false, true));
}

Value capitalize(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return Value::of(cased(value.print(), false, true, true));
}

Value title(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    std::string out, word;
    const auto text = value.print() + "\n";
    for (const char c : text) {
        if (std::string_view(" \n\t-([{<").find(c) == std::string_view::npos) {
            word += c;
            continue;
        }
        out += cased(word, false, true, true) + c;
        word.clear();
    }
    out.pop_back();
    return Value::of(out);
}

Value tojson(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(1, {"indent", "ensure_ascii", "sort_keys"});
    const auto* indent = arguments.find("indent", 0);
    const auto* ascii = arguments.find("ensure_ascii", 9);
    const auto* sorted = arguments.find("sort_keys", 9);
    if (ascii && ascii->truth())
        throw Fault("tojson with ensure_ascii is not taken");
    if (indent && !indent->isNone() && !indent->integer())
        throw Fault("the indent of tojson must be an int");
    return Value::of(toJson(value, indent ? indent->integer() : std::nullopt, sorted && sorted->truth()));
}

Value join(const Value& value, const Arguments& arguments, Budget& budget)
{
    arguments.expect(2, {"d", "attribute"});
    const auto separator = arguments.text("d", 0, "");
    const auto* attribute = arguments.find("attribute", 1);
    std::string out;
    bool first = true;
    for (const auto& item : elementsOf(value)) {
        out += (first ? "" : separator) + (attribute ? attributeOf(item, attribute->print()) : item).print();
        budget.make(out.size() > (1U << 16) ? out.size() : 0);
        first = false;
    }
    return Value::of(out);
}

Value list(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return Value::list(elementsOf(value));
}

Value defaulted(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(2, {"default_value", "boolean"});
    const auto* boolean = arguments.find("boolean", 1);
    const bool missing = value.isUndefined() || (boolean && boolean->truth() && !value.truth());
    const auto* replacement = arguments.find("default_value", 0);
    return !missing ? value : replacement ? *replacement : Value::of("");
}

Value end(const Value& value, bool last)
{
    const auto elements = elementsOf(value);
    if (elements.empty())
        return Value::undefined(last ? "No last item, sequence was empty."
                                     : "No first item, sequence was empty.");
    return last ? elements.back() : elements.front();
}

Value first(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return end(value, false);
}

Value last(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return end(value, true);
}

Value string(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    return Value::of(value.print());
}

Value toInteger(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(1, {"default"});
    if (const auto number = value.number()) {
        if (!(std::abs(*number) < 9e18))
            throw Fault("a number is too large for an int");
        return Value::of(value.integer().value_or(static_cast<std::int64_t>(*number)));
    }
    const auto text = value.text() ? stripped(*value.text(), nullptr, true, true) : std::string();
    std::int64_t parsed = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    const bool whole = !text.empty() && code == std::errc() && rest == text.data() + text.size();
    return Value::of(whole ? parsed : arguments.integer("default", 0, 0));
}

Value replace(const Value& value, const Arguments& arguments, Budget& budget)
{
    arguments.expect(3, {"old", "new", "count"});
    const auto text = value.print();
    const auto old = arguments.required("old", 0).print(), by = arguments.required("new", 1).print();
    auto left = arguments.integer("count", 2, -1);
    if (old.empty())
        throw Fault("an empty text cannot be replaced");
    std::string out;
    std::size_t begin = 0;
    for (auto at = text.find(old); at != std::string::npos && left != 0; at = text.find(old, begin), --left) {
        out += text.substr(begin, at - begin) + by;
        begin = at + old.size();
        budget.make(by.size());
    }
    return Value::of(out + text.substr(begin));
}

Value items(const Value& value, const Arguments& arguments, Budget& budget)
{
    if (value.isUndefined())
        return Value::list({});
    return callMethod(value, "items", arguments, budget);
}

Value reversed(const Value& value, const Arguments& arguments, Budget&)
{
    arguments.expect(0);
    auto elements = elementsOf(value);
    std::reverse(elements.begin(), elements.end());
    if (!value.text())
        return Value::list(std::move(elements));
    std::string out;
    for (const auto& element : elements)
        out += *element.text();
    return Value::of(out);
}

Value unique(const Value& value, const Arguments& arguments, Budget& budget)
{
    arguments.expect(0);
    std::vector<Value> kept;
    for (const auto& element : elementsOf(value)) {
        budget.step(kept.size());
        if (std::find(kept.begin(), kept.end(), element) == kept.end())
            kept.push_back(element);
    }
    return Value::list(std::move(kept));
}

Value indent(const Value& value, const Arguments& arguments, Budget& budget)
{
    arguments.expect(3, {"width", "first", "blank"});
    const auto* widthValue = arguments.find("width", 0);
    const auto width = arguments.integer("width", 0, 4);
    const auto* firstLine = arguments.find("first", 1);
    const auto* blank = arguments.find("blank", 2);
    if ((widthValue && widthValue->text()) || width < 0 || width > 64)
        throw Fault("the width of indent must be a number from 0 to 64");
    const std::string blanks(static_cast<std::size_t>(width), ' ');
    const auto& text = textOf(value, "indent");
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto lineEnd = std::min(text.find('\n', begin), text.size());
        const bool wanted =
            begin == 0 ? firstLine && firstLine->truth() : lineEnd > begin || (blank && blank->truth());
        out += (wanted ? blanks : "") + text.substr(begin, lineEnd - begin) +
               (lineEnd < text.size() ? "\n" : "");
        budget.make(blanks.size());
        begin = lineEnd + 1;
    }
    return Value::of(out);
}

constexpr std::array<std::pair<std::string_view, Filter>, 21> kFilters{
    {{"trim", &trim},        {"length", &length},     {"count", &length},
     {"upper", &upper},      {"lower", &lower},       {"capitalize", &capitalize},
     {"title", &title},      {"tojson", &tojson},     {"join", &join},
     {"list", &list},        {"default", &defaulted}, {"d", &defaulted},
     {"first", &first},      {"last", &last},         {"string", &string},
     {"int", &toInteger},    {"replace", &replace},   {"items", &items},
     {"reverse", &reversed}, {"unique", &unique},     {"indent", &indent}}};

} // namespace

Value applyFilter(std::string_view name, const Value& value, const Arguments& arguments, Budget& budget)
{
    if (name == "safe") // nothing is escaped anyway
        return value;
    for (const auto& [known, filter] : kFilters) {
        if (name != known)
            continue;
        auto result = filter(value, arguments, budget);
        budget.make(result.text() ? result.text()->size() : 0);
        return result;
    }
    throw Fault(fmt::format("the filter \"{}\" is not taken", name));
}

} // namespace assay::jinja
