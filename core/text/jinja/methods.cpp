#include "core/text/jinja/library.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::jinja {

namespace {

constexpr std::int64_t kMaximumRange = 100'000; // as in Jinja's own sandbox

std::vector<Value> splitAtBlanks(std::string_view text)
{
    std::vector<Value> parts;
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t at = 0; at <= text.size();) {
        const auto character = at < text.size() ? codePointAt(text, at) : CodePoint{U' ', 1};
        const bool blank = isWhiteSpace(character.value);
        if (blank && inside)
            parts.push_back(Value::of(text.substr(begin, at - begin)));
        if (!blank && !inside)
            begin = at;
        inside = !blank;
        at += character.bytes;
    }
    return parts;
}

Value split(const std::string& text, const Arguments& arguments)
{
    arguments.expect(2, {"sep", "maxsplit"});
    const auto* separator = arguments.find("sep", 0);
    auto left = arguments.integer("maxsplit", 1, -1);
    if (!separator || separator->isNone()) {
        if (left >= 0)
            throw Fault("split with a limit needs a separator");
        return Value::list(splitAtBlanks(text));
    }
    const auto by = arguments.text("sep", 0, "");
    if (by.empty())
        throw Fault("an empty separator splits nothing");
    std::vector<Value> parts;
    std::size_t begin = 0;
    for (auto at = text.find(by); at != std::string::npos && left != 0; at = text.find(by, begin), --left) {
        parts.push_back(Value::of(text.substr(begin, at - begin)));
        begin = at + by.size();
    }
    parts.push_back(Value::of(text.substr(begin)));
    return Value::list(std::move(parts));
}

bool startsOrEnds(const std::string& text, const Value& what, bool start)
{
    if (what.items())
        return std::any_of(what.items()->begin(), what.items()->end(),
                           [&](const Value& one) { return startsOrEnds(text, one, start); });
    if (!what.text())
        throw Fault(
            fmt::format("{} needs a str, not a {}", start ? "startswith" : "endswith", what.typeName()));
    return start ? text.starts_with(*what.text()) : text.ends_with(*what.text());
}

Value callTextMethod(const std::string& text, std::string_view name, const Arguments& arguments,
                     Budget& budget)
{
    if (name == "strip" || name == "lstrip" || name == "rstrip") {
        arguments.expect(1, {"chars"});
        const auto* characters = arguments.find("chars", 0);
        if (characters && !characters->isNone() && !characters->text())
            throw Fault("strip needs a str");
        return Value::of(
            stripped(text, characters ? characters->text() : nullptr, name != "rstrip", name != "lstrip"));
    }
    if (name == "split")
        return split(text, arguments);
    if (name == "startswith" || name == "endswith") {
        arguments.expect(1);
        return Value::of(startsOrEnds(text, arguments.required("prefix", 0), name == "startswith"));
    }
    if (name == "upper" || name == "lower" || name == "title" || name == "capitalize" || name == "replace")
        return applyFilter(name, Value::of(text), arguments, budget);
    if (name == "find" || name == "count") {
        arguments.expect(1);
        const auto what = arguments.text("sub", 0, "");
        if (!arguments.find("sub", 0) || what.empty())
            throw Fault(fmt::format("{} needs a str that is not empty", name));
        std::int64_t count = 0;
        const auto first = text.find(what);
        for (auto at = first; at != std::string::npos; at = text.find(what, at + what.size()))
            ++count;
        if (name == "count")
            return Value::of(count);
        return Value::of(first == std::string::npos
                             ? std::int64_t{-1}
                             : static_cast<std::int64_t>(countCodePoints(text.substr(0, first))));
    }
    if (name == "join")
        throw Fault("the method \"join\" is not taken; the filter is");
    throw Fault(fmt::format("'str object' has no attribute '{}'", name));
}

Value callMappingMethod(const Dict& dict, std::string_view name, const Arguments& arguments)
{
    if (name == "get") {
        arguments.expect(2);
        const auto& key = arguments.required("key", 0);
        const auto* found = key.text() ? dict.find(*key.text()) : nullptr;
        const auto* missing = arguments.find("default", 1);
        return found ? *found : missing ? *missing : Value::none();
    }
    arguments.expect(0);
    std::vector<Value> result;
    for (const auto& [key, value] : dict.items) {
        if (name == "keys")
            result.push_back(Value::of(key));
        else if (name == "values")
            result.push_back(value);
        else if (name == "items")
            result.push_back(Value::list({Value::of(key), value}));
        else
            break;
    }
    if (name != "keys" && name != "values" && name != "items")
        throw Fault(fmt::format("'dict object' has no method '{}'", name));
    return Value::list(std::move(result));
}

Value makeRange(const Arguments& arguments, Budget& budget)
{
    arguments.expect(3);
    const bool one = arguments.positional.size() == 1;
    const auto begin = one ? 0 : arguments.integer("start", 0, 0);
    const auto end = arguments.integer("stop", one ? 0 : 1, 0);
    const auto step = arguments.integer("step", 2, 1);
    if (arguments.positional.empty() || step == 0)
        throw Fault("range needs an end, and a step that is not 0");
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    if (std::max({begin, end, step}) > kFar || std::min({begin, end, step}) < -kFar)
        throw Fault("a range lies too far out");
    std::vector<Value> items;
    for (auto i = begin; step > 0 ? i < end : i > end; i += step) {
        if (static_cast<std::int64_t>(items.size()) == kMaximumRange)
            throw Fault("a range has more than 100,000 numbers");
        budget.step();
        items.push_back(Value::of(i));
    }
    return Value::list(std::move(items));
}

} // namespace

std::string stripped(std::string_view text, const std::string* characters, bool left, bool right)
{
    const auto drop = [&](std::string_view character, char32_t value) {
        return characters ? characters->find(character) != std::string::npos
                          : isWhiteSpace(value) || (value >= 0x1c && value <= 0x1f);
    };
    std::size_t begin = 0, end = text.size();
    while (left && begin < end) {
        const auto character = codePointAt(text, begin);
        if (!drop(text.substr(begin, character.bytes), character.value))
            break;
        begin += character.bytes;
    }
    while (right && end > begin) {
        const auto character = codePointBefore(text, end);
        if (!drop(text.substr(end - character.bytes, character.bytes), character.value))
            break;
        end -= character.bytes;
    }
    return std::string(text.substr(begin, end - begin));
}

bool contains(const Value& container, const Value& item)
{
    if (const auto* text = container.text()) {
        if (!item.text())
            throw Fault(fmt::format("only a str can be in a str, not a {}", item.typeName()));
        return text->find(*item.text()) != std::string::npos;
    }
    if (const auto* dict = container.mapping())
        return item.text() && dict->find(*item.text());
    const auto elements = elementsOf(container);
    return std::find(elements.begin(), elements.end(), item) != elements.end();
}

Value attributeOf(const Value& value, std::string_view name)
{
    if (const auto* unknown = value.as<Undefined>())
        throw Fault(unknown->what.empty() ? "a value is undefined" : unknown->what);
    if (const auto* dict = value.mapping())
        if (const auto* found = dict->find(name))
            return *found;
    return Value::undefined(fmt::format("'{} object' has no attribute '{}'", value.typeName(), name));
}

Value callMethod(const Value& value, std::string_view name, const Arguments& arguments, Budget& budget)
{
    if (const auto* text = value.text())
        return callTextMethod(*text, name, arguments, budget);
    if (const auto* dict = value.as<Value::DictPtr>())
        return callMappingMethod(**dict, name, arguments);
    if (const auto* unknown = value.as<Undefined>())
        throw Fault(unknown->what);
    throw Fault(fmt::format("'{} object' has no method '{}'", value.typeName(), name));
}

std::optional<Value> callGlobal(std::string_view name, const Arguments& arguments, Budget& budget)
{
    if (name == "range")
        return makeRange(arguments, budget);
    if (name == "raise_exception") {
        arguments.expect(1);
        throw RaisedByTemplate(arguments.required("message", 0).print());
    }
    if (name != "namespace" && name != "dict")
        return std::nullopt;
    Dict made;
    if (!arguments.positional.empty()) {
        const auto* from = arguments.positional.front().mapping();
        if (!from || arguments.positional.size() > 1)
            throw Fault(fmt::format("{} takes one dictionary and names", name));
        made = *from;
    }
    for (const auto& [key, value] : arguments.named)
        made.set(key, value);
    return name == "dict" ? Value::dict(std::move(made))
                          : Value(Value::State(std::make_shared<Dict>(std::move(made))));
}

} // namespace assay::jinja
