#include "core/text/jinja/template.h"

#include "core/text/jinja/evaluator.h"
#include "core/text/jinja/parser.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

namespace assay {

struct JinjaTemplate::Program
{
    jinja::Statements statements;
};

namespace {

using namespace jinja;

constexpr std::size_t kMaximumSourceBytes = std::size_t{1} << 20;
constexpr std::size_t kMaximumWordsCharacters = 300;
constexpr int kMaximumCalls = 32;

enum class Flow { On, Break, Continue };

/// Executes statements. Throws Fault.
class Interpreter
{
public:
    Interpreter()
        : m_evaluator(m_budget, [this](const MacroDefinition& macro, const Arguments& given) {
            return call(macro, given);
        })
    {}

    std::string run(const Statements& statements, Scopes::Scope globals)
    {
        Scopes scopes(std::move(globals));
        m_outermost = &scopes;
        std::string output;
        execute(statements, scopes, output);
        return output;
    }

private:
    Flow execute(const Statements& statements, Scopes& scopes, std::string& output)
    {
        for (const auto& statement : statements) {
            m_budget.step();
            if (const auto flow = executeOne(*statement, scopes, output); flow != Flow::On)
                return flow;
        }
        return Flow::On;
    }

    void write(std::string& output, std::string_view text)
    {
        m_budget.make(text.size());
        output += text;
    }

    Flow executeOne(const Statement& statement, Scopes& scopes, std::string& output)
    {
        switch (statement.kind) {
        case StatementKind::Data:
            write(output, statement.text);
            return Flow::On;
        case StatementKind::Output:
            write(output, m_evaluator.evaluate(*statement.expression, scopes).print());
            return Flow::On;
        case StatementKind::If:
            for (const auto& branch : statement.branches)
                if (!branch.condition || m_evaluator.evaluate(*branch.condition, scopes).truth())
                    return execute(branch.body, scopes, output);
            return Flow::On;
        case StatementKind::For:
            return loop(statement, scopes, output);
        case StatementKind::Set:
            assign(statement, scopes);
            return Flow::On;
        case StatementKind::Macro:
            scopes.set(statement.macro->name, Value(Value::State(statement.macro)));
            return Flow::On;
        case StatementKind::Body:
            return execute(statement.body, scopes, output);
        case StatementKind::Break:
            return Flow::Break;
        case StatementKind::Continue:
            return Flow::Continue;
        }
        return Flow::On;
    }

    static void bind(const std::vector<std::string>& names, const Value& value, Scopes& scopes)
    {
        if (names.size() == 1)
            return scopes.set(names.front(), value);
        const auto parts = elementsOf(value);
        if (parts.size() != names.size())
            throw Fault(fmt::format("{} values for {} names", parts.size(), names.size()));
        for (std::size_t i = 0; i < names.size(); ++i)
            scopes.set(names[i], parts[i]);
    }

    /// The elements for which the loop's condition holds.
    std::vector<Value> elements(const Statement& statement, Scopes& scopes)
    {
        auto all = elementsOf(m_evaluator.evaluate(*statement.expression, scopes));
        if (!statement.condition)
            return all;
        std::vector<Value> kept;
        for (auto& element : all) {
            scopes.push();
            bind(statement.names, element, scopes);
            const bool holds = m_evaluator.evaluate(*statement.condition, scopes).truth();
            scopes.pop();
            if (holds)
                kept.push_back(std::move(element));
        }
        return kept;
    }

    static Value loopValue(const std::vector<Value>& all, std::size_t i)
    {
        const auto at = static_cast<std::int64_t>(i), size = static_cast<std::int64_t>(all.size());
        Dict loop;
        loop.items = {{"index", Value::of(at + 1)},       {"index0", Value::of(at)},
                      {"revindex", Value::of(size - at)}, {"revindex0", Value::of(size - at - 1)},
                      {"first", Value::of(i == 0)},       {"last", Value::of(at + 1 == size)},
                      {"length", Value::of(size)}};
        if (i > 0)
            loop.set("previtem", all[i - 1]);
        if (i + 1 < all.size())
            loop.set("nextitem", all[i + 1]);
        return Value::dict(std::move(loop));
    }

    Flow loop(const Statement& statement, Scopes& scopes, std::string& output)
    {
        const auto all = elements(statement, scopes);
        if (all.empty())
            return execute(statement.otherwise, scopes, output);
        for (std::size_t i = 0; i < all.size(); ++i) {
            scopes.push();
            scopes.set("loop", loopValue(all, i));
            bind(statement.names, all[i], scopes);
            const auto flow = execute(statement.body, scopes, output);
            scopes.pop();
            if (flow == Flow::Break)
                break;
        }
        return Flow::On;
    }

    void assign(const Statement& statement, Scopes& scopes)
    {
        Value value;
        if (statement.expression) {
            value = m_evaluator.evaluate(*statement.expression, scopes);
        } else {
            std::string text;
            scopes.push();
            execute(statement.body, scopes, text);
            scopes.pop();
            value = Value::of(text);
        }
        if (statement.attribute.empty())
            return bind(statement.names, value, scopes);
        const auto* found = scopes.find(statement.names.front());
        const auto* space = found ? found->as<Value::NamespacePtr>() : nullptr;
        if (!space)
            throw Fault(fmt::format("line {}: \"{}\" is no namespace, so that its attributes cannot be set",
                                    statement.line, statement.names.front()));
        if (value.as<Value::NamespacePtr>())
            throw Fault(fmt::format("line {}: a namespace inside a namespace is not taken", statement.line));
        (*space)->set(statement.attribute, value);
    }

    Value call(const MacroDefinition& macro, const Arguments& given)
    {
        if (++m_calls > kMaximumCalls)
            throw Fault("macros call each other too deeply");
        if (given.positional.size() > macro.parameters.size())
            throw Fault(fmt::format("the macro \"{}\" takes fewer arguments", macro.name));
        for (const auto& [name, value] : given.named) {
            bool known = false;
            for (const auto& parameter : macro.parameters)
                known = known || parameter.name == name;
            if (!known)
                throw Fault(fmt::format("the macro \"{}\" has no parameter \"{}\"", macro.name, name));
        }
        auto scopes = m_outermost->outermost();
        scopes.push();
        for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
            const auto& parameter = macro.parameters[i];
            const auto* value = given.find(parameter.name, i);
            if (value)
                scopes.set(parameter.name, *value);
            else if (parameter.missing)
                scopes.set(parameter.name, m_evaluator.evaluate(*parameter.missing, scopes));
            else
                scopes.set(parameter.name,
                           Value::undefined("parameter '" + parameter.name + "' was not provided"));
        }
        std::string output;
        execute(macro.body, scopes, output);
        --m_calls;
        return Value::of(output);
    }

    Budget m_budget;
    Evaluator m_evaluator;
    const Scopes* m_outermost = nullptr;
    int m_calls = 0;
};

} // namespace

namespace {

/// Words of a stranger's file on one line, for a terminal and a window.
std::string plainWords(std::string_view text)
{
    std::string words;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size() && count < kMaximumWordsCharacters; ++count) {
        const auto character = codePointAt(text, at);
        appendCodePoint(words, isControlOrFormat(character.value) ? U' ' : character.value);
        at += character.bytes;
    }
    if (count == kMaximumWordsCharacters)
        words += " ...";
    return words;
}

} // namespace

Result<JinjaTemplate> JinjaTemplate::parse(std::string_view source)
{
    if (source.size() > kMaximumSourceBytes)
        return Error{ErrorCode::BadModel, "the template has more than 1 MiB", "",
                     "Choose a model with another template"};
    try {
        JinjaTemplate made;
        made.m_program = std::make_shared<Program>(Program{parseTemplate(source)});
        return made;
    } catch (const std::exception& fault) {
        return Error{ErrorCode::Unsupported,
                     std::string("the template is outside what is taken: ") + fault.what(), "",
                     "Put a simpler chat_template.jinja beside the tokenizer, or choose another model"};
    }
}

Result<std::string> JinjaTemplate::render(const nlohmann::ordered_json& context) const
{
    try {
        Scopes::Scope globals;
        for (const auto& [name, value] : context.items())
            globals.emplace(name, Value::fromJson(value));
        return Interpreter().run(m_program->statements, std::move(globals));
    } catch (const RaisedByTemplate& raised) {
        return Error{ErrorCode::BadData, "the template says: " + plainWords(raised.what()), "",
                     "Mend the conversation, or choose a model with another template"};
    } catch (const std::exception& fault) {
        return Error{ErrorCode::Unsupported, std::string("the template cannot be rendered: ") + fault.what(),
                     "", "Put a simpler chat_template.jinja beside the tokenizer, or choose another model"};
    }
}

} // namespace assay
