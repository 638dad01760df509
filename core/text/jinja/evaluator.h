#pragma once

#include "core/text/jinja/arguments.h"
#include "core/text/jinja/ast.h"
#include "core/text/jinja/budget.h"

#include <functional>
#include <map>

namespace assay::jinja {

/// Names and their values; the innermost scope wins.
class Scopes
{
public:
    using Scope = std::map<std::string, Value, std::less<>>;

    explicit Scopes(Scope globals) { m_scopes.push_back(std::move(globals)); }

    const Value* find(std::string_view name) const;
    void set(const std::string& name, Value value)
    {
        m_scopes.back().insert_or_assign(name, std::move(value));
    }
    void push() { m_scopes.emplace_back(); }
    void pop() { m_scopes.pop_back(); }
    /// What a macro sees: the outermost scope and nothing of its caller.
    Scopes outermost() const { return Scopes(m_scopes.front()); }

private:
    std::vector<Scope> m_scopes;
};

/// Calls a macro; given by whoever executes statements.
using CallMacro = std::function<Value(const MacroDefinition&, const Arguments&)>;

/// Computes the values of expressions. Throws Fault.
class Evaluator
{
public:
    Evaluator(Budget& budget, CallMacro callMacro)
        : m_budget(budget)
        , m_callMacro(std::move(callMacro))
    {}

    Value evaluate(const Expression& expression, const Scopes& scopes);

private:
    Value unplaced(const Expression& expression, const Scopes& scopes);
    Value name(const Expression& expression, const Scopes& scopes) const;
    Value list(const Expression& expression, const Scopes& scopes);
    Value dict(const Expression& expression, const Scopes& scopes);
    Value index(const Expression& expression, const Scopes& scopes);
    Value slice(const Expression& expression, const Scopes& scopes);
    Value call(const Expression& expression, const Scopes& scopes);
    Value filter(const Expression& expression, const Scopes& scopes);
    Value select(const Expression& expression, const Value& value, const Arguments& arguments);
    Value map(const Value& value, const Arguments& arguments);
    Value compare(const Expression& expression, const Scopes& scopes);
    Value arithmetic(const Expression& expression, const Scopes& scopes);
    Value conditional(const Expression& expression, const Scopes& scopes);
    Arguments arguments(const Expression& expression, const Scopes& scopes);

    Budget& m_budget;
    CallMacro m_callMacro;
};

} // namespace assay::jinja
