#include "core/text/jinja/library.h"

#include <fmt/format.h>

namespace assay::jinja {

namespace {

bool isNumber(const Value& value)
{
    return value.number().has_value();
}

std::int64_t integerOf(const Value& value)
{
    const auto number = value.integer();
    if (!number)
        throw Fault(fmt::format("a test needs an int, not a {}", value.typeName()));
    return *number;
}

/// Tests that compare with an argument.
std::optional<bool> compared(std::string_view name, const Value& value, const Arguments& arguments)
{
    const auto other = [&]() -> const Value& { return arguments.required("other", 0); };
    if (name == "equalto" || name == "eq" || name == "sameas")
        return value == other();
    if (name == "ne")
        return !(value == other());
    if (name == "in")
        return contains(other(), value);
    if (name == "lt" || name == "lessthan")
        return lessThan(value, other());
    if (name == "gt" || name == "greaterthan")
        return lessThan(other(), value);
    if (name == "divisibleby") {
        const auto by = integerOf(other());
        if (by == 0)
            throw Fault("nothing is divisible by 0");
        return by == -1 || integerOf(value) % by == 0;
    }
    return std::nullopt;
}

} // namespace

bool applyTest(std::string_view name, const Value& value, const Arguments& arguments)
{
    arguments.expect(1);
    if (const auto result = compared(name, value, arguments))
        return *result;
    arguments.expect(0);
    if (name == "defined" || name == "undefined")
        return value.isUndefined() == (name == "undefined");
    if (name == "none")
        return value.isNone();
    if (name == "string")
        return value.text() != nullptr;
    if (name == "mapping")
        return value.as<Value::DictPtr>() != nullptr;
    if (name == "sequence")
        return value.text() || value.items() || value.as<Value::DictPtr>();
    if (name == "iterable")
        return value.text() || value.items() || value.as<Value::DictPtr>() || value.isUndefined();
    if (name == "number")
        return isNumber(value);
    if (name == "integer")
        return value.as<std::int64_t>() != nullptr;
    if (name == "float")
        return value.as<double>() != nullptr;
    if (name == "boolean")
        return value.as<bool>() != nullptr;
    if (name == "true" || name == "false")
        return value.as<bool>() && *value.as<bool>() == (name == "true");
    if (name == "odd" || name == "even")
        return (integerOf(value) % 2 != 0) == (name == "odd");
    throw Fault(fmt::format("the test \"{}\" is not taken", name));
}

} // namespace assay::jinja
