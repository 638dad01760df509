#include "core/text/jinja/evaluator.h"

#include "core/text/jinja/arithmetic.h"
#include "core/text/jinja/library.h"

#include <fmt/format.h>

namespace assay::jinja {

const Value* Scopes::find(std::string_view name) const
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end())
            return &found->second;
    return nullptr;
}

Value Evaluator::evaluate(const Expression& expression, const Scopes& scopes)
{
    m_budget.step();
    try {
        return unplaced(expression, scopes);
    } catch (const RaisedByTemplate&) {
        throw;
    } catch (const Fault& fault) {
        const std::string_view message = fault.what();
        if (message.starts_with("line "))
            throw;
        throw Fault(fmt::format("line {}: {}", expression.line, message));
    }
}

Value Evaluator::unplaced(const Expression& expression, const Scopes& scopes)
{
    const auto child = [&](std::size_t i) { return evaluate(*expression.children[i], scopes); };
    switch (expression.kind) {
    case ExpressionKind::Literal:
        return expression.literal;
    case ExpressionKind::Name:
        return name(expression, scopes);
    case ExpressionKind::List:
        return list(expression, scopes);
    case ExpressionKind::Dict:
        return dict(expression, scopes);
    case ExpressionKind::Attribute:
        return attributeOf(child(0), expression.text);
    case ExpressionKind::Index:
        return index(expression, scopes);
    case ExpressionKind::Slice:
        return slice(expression, scopes);
    case ExpressionKind::Call:
        return call(expression, scopes);
    case ExpressionKind::Filter:
        return filter(expression, scopes);
    case ExpressionKind::Test:
        return Value::of(applyTest(expression.text, child(0), arguments(expression, scopes)));
    case ExpressionKind::Not:
        return Value::of(!child(0).truth());
    case ExpressionKind::Negate:
        return computed("-", Value::of(std::int64_t{0}), child(0), m_budget);
    case ExpressionKind::And:
    case ExpressionKind::Or: {
        auto left = child(0);
        return left.truth() == (expression.kind == ExpressionKind::And) ? child(1) : left;
    }
    case ExpressionKind::Compare:
        return compare(expression, scopes);
    case ExpressionKind::Arithmetic:
        return computed(expression.text, child(0), child(1), m_budget);
    case ExpressionKind::Conditional:
        return conditional(expression, scopes);
    }
    return {};
}

Value Evaluator::name(const Expression& expression, const Scopes& scopes) const
{
    const auto* found = scopes.find(expression.text);
    return found ? *found : Value::undefined("'" + expression.text + "' is undefined");
}

Value Evaluator::list(const Expression& expression, const Scopes& scopes)
{
    std::vector<Value> items;
    for (const auto& child : expression.children)
        items.push_back(evaluate(*child, scopes));
    return Value::list(std::move(items));
}

Value Evaluator::dict(const Expression& expression, const Scopes& scopes)
{
    Dict made;
    for (std::size_t i = 0; i + 1 < expression.children.size(); i += 2) {
        const auto key = evaluate(*expression.children[i], scopes);
        if (!key.text())
            throw Fault(fmt::format("the keys of dictionaries are strings here, not a {}", key.typeName()));
        made.set(*key.text(), evaluate(*expression.children[i + 1], scopes));
    }
    return Value::dict(std::move(made));
}

Value Evaluator::index(const Expression& expression, const Scopes& scopes)
{
    const auto value = evaluate(*expression.children[0], scopes);
    const auto key = evaluate(*expression.children[1], scopes);
    if (key.text() || value.isUndefined())
        return attributeOf(value, key.print());
    if (!key.integer() || (!value.items() && !value.text()))
        return Value::undefined(
            fmt::format("'{} object' has no element {}", value.typeName(), key.represent()));
    const auto elements = elementsOf(value);
    m_budget.step(value.text() ? elements.size() : 1);
    const auto size = static_cast<std::int64_t>(elements.size());
    const auto at = *key.integer() < 0 ? *key.integer() + size : *key.integer();
    if (at < 0 || at >= size)
        return Value::undefined(
            fmt::format("'{} object' has no element {}", value.typeName(), *key.integer()));
    return elements[static_cast<std::size_t>(at)];
}

Value Evaluator::slice(const Expression& expression, const Scopes& scopes)
{
    const auto value = evaluate(*expression.children[0], scopes);
    std::vector<Value> bounds;
    for (std::size_t i = 1; i < 4; ++i)
        bounds.push_back(expression.children[i] ? evaluate(*expression.children[i], scopes) : Value::none());
    return sliced(value, &bounds[0], &bounds[1], &bounds[2], m_budget);
}

Arguments Evaluator::arguments(const Expression& expression, const Scopes& scopes)
{
    Arguments given;
    for (const auto& argument : expression.arguments) {
        auto value = evaluate(*argument.value, scopes);
        if (argument.name.empty())
            given.positional.push_back(std::move(value));
        else
            given.named.emplace_back(argument.name, std::move(value));
    }
    return given;
}

Value Evaluator::call(const Expression& expression, const Scopes& scopes)
{
    const auto& callee = *expression.children[0];
    const auto given = arguments(expression, scopes);
    if (callee.kind == ExpressionKind::Attribute)
        return callMethod(evaluate(*callee.children[0], scopes), callee.text, given, m_budget);
    const auto value = evaluate(callee, scopes);
    if (const auto* macro = value.as<Value::MacroPtr>())
        return m_callMacro(**macro, given);
    if (value.isUndefined() && callee.kind == ExpressionKind::Name)
        if (auto result = callGlobal(callee.text, given, m_budget))
            return *result;
    const auto* unknown = value.as<Undefined>();
    throw Fault(unknown ? unknown->what : fmt::format("a {} cannot be called", value.typeName()));
}

Value Evaluator::filter(const Expression& expression, const Scopes& scopes)
{
    const auto value = evaluate(*expression.children[0], scopes);
    const auto given = arguments(expression, scopes);
    const auto& name = expression.text;
    if (name == "select" || name == "reject" || name == "selectattr" || name == "rejectattr")
        return select(expression, value, given);
    return name == "map" ? map(value, given) : applyFilter(name, value, given, m_budget);
}

/// select, reject, selectattr, rejectattr: the elements for which a test holds, or does not.
Value Evaluator::select(const Expression& expression, const Value& value, const Arguments& given)
{
    const bool byAttribute = expression.text.ends_with("attr");
    const bool wanted = expression.text.starts_with("select");
    const std::size_t used = byAttribute ? 1 : 0;
    if (given.positional.size() > used + 2 || (byAttribute && given.positional.empty()) ||
        !given.named.empty())
        throw Fault(
            fmt::format("the filter \"{}\" takes an attribute, a test and its argument", expression.text));
    std::vector<Value> kept;
    for (const auto& element : elementsOf(value)) {
        m_budget.step();
        const auto tested = byAttribute ? attributeOf(element, given.positional[0].print()) : element;
        bool holds = tested.truth();
        if (given.positional.size() > used) {
            Arguments other;
            other.positional.assign(given.positional.begin() + static_cast<std::ptrdiff_t>(used) + 1,
                                    given.positional.end());
            holds = applyTest(given.positional[used].print(), tested, other);
        }
        if (holds == wanted)
            kept.push_back(element);
    }
    return Value::list(std::move(kept));
}

Value Evaluator::map(const Value& value, const Arguments& given)
{
    given.expect(9, {"attribute", "default"});
    std::vector<Value> mapped;
    for (const auto& element : elementsOf(value)) {
        m_budget.step();
        if (const auto* attribute = given.find("attribute", 99)) {
            auto found = attributeOf(element, attribute->print());
            const auto* missing = given.find("default", 99);
            mapped.push_back(found.isUndefined() && missing ? *missing : std::move(found));
            continue;
        }
        Arguments rest;
        const auto filter = given.required("filter", 0).print();
        rest.positional.assign(given.positional.begin() + 1, given.positional.end());
        mapped.push_back(applyFilter(filter, element, rest, m_budget));
    }
    return Value::list(std::move(mapped));
}

Value Evaluator::compare(const Expression& expression, const Scopes& scopes)
{
    const auto left = evaluate(*expression.children[0], scopes);
    const auto right = evaluate(*expression.children[1], scopes);
    const auto& operation = expression.text;
    if (operation == "==" || operation == "!=")
        return Value::of((left == right) == (operation == "=="));
    if (operation == "in" || operation == "not in")
        return Value::of(contains(right, left) == (operation == "in"));
    if (operation == "<" || operation == ">=")
        return Value::of(lessThan(left, right) == (operation == "<"));
    return Value::of(lessThan(right, left) == (operation == ">"));
}

Value Evaluator::conditional(const Expression& expression, const Scopes& scopes)
{
    if (evaluate(*expression.children[1], scopes).truth())
        return evaluate(*expression.children[0], scopes);
    if (expression.children[2])
        return evaluate(*expression.children[2], scopes);
    return Value::undefined("a condition without else did not hold");
}

} // namespace assay::jinja
