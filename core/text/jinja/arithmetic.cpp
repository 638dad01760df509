#include "core/text/jinja/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::jinja {

namespace {

[[noreturn]] void unfit(std::string_view operation, const Value& left, const Value& right)
{
    for (const auto* value : {&left, &right})
        if (const auto* unknown = value->as<Undefined>())
            throw Fault(unknown->what);
    throw Fault(fmt::format("\"{}\" takes no {} with a {}", operation, left.typeName(), right.typeName()));
}

std::int64_t floorDivided(std::int64_t left, std::int64_t right)
{
    const auto quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

std::int64_t whole(std::string_view operation, std::int64_t left, std::int64_t right)
{
    std::int64_t result = 0;
    const bool overflow = operation == "+"   ? __builtin_add_overflow(left, right, &result)
                          : operation == "-" ? __builtin_sub_overflow(left, right, &result)
                          : operation == "*" ? __builtin_mul_overflow(left, right, &result)
                                             : left == INT64_MIN;
    if (overflow)
        throw Fault("a number is too large");
    if (operation == "//")
        return floorDivided(left, right);
    return operation == "%" ? left - floorDivided(left, right) * right : result;
}

double real(std::string_view operation, double left, double right)
{
    if (operation == "+")
        return left + right;
    if (operation == "-")
        return left - right;
    if (operation == "*")
        return left * right;
    if (operation == "/")
        return left / right;
    const double quotient = std::floor(left / right);
    return operation == "//" ? quotient : left - quotient * right;
}

Value joined(const std::string& left, const std::string& right, Budget& budget)
{
    budget.make(left.size() + right.size());
    return Value::of(left + right);
}

Value repeated(const std::string& text, std::int64_t count, Budget& budget)
{
    std::string out;
    for (std::int64_t i = 0; i < count && !text.empty(); ++i) {
        budget.step();
        budget.make(text.size());
        out += text;
    }
    return Value::of(out);
}

/// A bound of a slice as Python counts it, between `low` and `high`.
std::int64_t bound(const Value* value, std::int64_t missing, std::int64_t size, std::int64_t low,
                   std::int64_t high)
{
    if (!value || value->isNone())
        return missing;
    const auto given = value->integer();
    if (!given)
        throw Fault(fmt::format("a slice needs ints, not a {}", value->typeName()));
    const auto limited = std::clamp<std::int64_t>(*given, -(std::int64_t{1} << 40), std::int64_t{1} << 40);
    return std::clamp(limited < 0 ? limited + size : limited, low, high);
}

} // namespace

Value computed(std::string_view operation, const Value& left, const Value& right, Budget& budget)
{
    if (operation == "~")
        return joined(left.print(), right.print(), budget);
    if (left.number() && right.number()) {
        const bool divides = operation == "/" || operation == "//" || operation == "%";
        if (divides && *right.number() == 0.0)
            throw Fault("a number is divided by 0");
        if (left.integer() && right.integer() && operation != "/")
            return Value::of(whole(operation, *left.integer(), *right.integer()));
        return Value::of(real(operation, *left.number(), *right.number()));
    }
    if (operation == "+" && left.text() && right.text())
        return joined(*left.text(), *right.text(), budget);
    if (operation == "+" && left.items() && right.items()) {
        auto items = *left.items();
        items.insert(items.end(), right.items()->begin(), right.items()->end());
        budget.step(items.size());
        return Value::list(std::move(items));
    }
    if (operation == "*" && left.text() && right.integer())
        return repeated(*left.text(), *right.integer(), budget);
    unfit(operation, left, right);
}

Value sliced(const Value& value, const Value* begin, const Value* end, const Value* step, Budget& budget)
{
    if (!value.text() && !value.items())
        throw Fault(fmt::format("a {} cannot be sliced", value.typeName()));
    const auto elements = elementsOf(value);
    const auto size = static_cast<std::int64_t>(elements.size());
    const auto by = step && !step->isNone() ? step->integer().value_or(0) : 1;
    if (by == 0)
        throw Fault("the step of a slice must be an int that is not 0");
    const bool forward = by > 0;
    const auto from = bound(begin, forward ? 0 : size - 1, size, forward ? 0 : -1, forward ? size : size - 1);
    const auto to = bound(end, forward ? size : -1, size, forward ? 0 : -1, forward ? size : size - 1);
    const auto stride = std::clamp<std::int64_t>(by, -(std::int64_t{1} << 40), std::int64_t{1} << 40);
    std::vector<Value> chosen;
    for (auto i = from; forward ? i < to : i > to; i += stride)
        chosen.push_back(elements[static_cast<std::size_t>(i)]);
    budget.step(elements.size());
    if (!value.text())
        return Value::list(std::move(chosen));
    std::string text;
    for (const auto& character : chosen)
        text += *character.text();
    return Value::of(text);
}

} // namespace assay::jinja
