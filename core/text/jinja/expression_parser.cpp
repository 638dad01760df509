#include "core/text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace assay::jinja {

namespace {

constexpr int kMaximumDepth = 100;
constexpr int kMaximumLinks = 2000; ///< each makes the tree of its expression one level deeper

std::unique_ptr<Expression> node(ExpressionKind kind, std::int32_t line, std::string text = {})
{
    auto made = std::make_unique<Expression>();
    made->kind = kind;
    made->line = line;
    made->text = std::move(text);
    return made;
}

template <typename... Children>
ExpressionPtr parent(ExpressionKind kind, std::int32_t line, std::string text, Children... children)
{
    auto made = node(kind, line, std::move(text));
    (made->children.push_back(std::move(children)), ...);
    return made;
}

/// One function for each level of precedence, the loosest first.
class ExpressionParser
{
public:
    explicit ExpressionParser(TokenStream& tokens)
        : m_tokens(tokens)
    {}

    ExpressionPtr conditional()
    {
        const Nesting nesting(*this);
        auto value = disjunction();
        while (m_tokens.isName("if")) {
            const auto line = m_tokens.next().line;
            auto condition = disjunction();
            ExpressionPtr otherwise;
            if (m_tokens.takeName("else"))
                otherwise = conditional();
            value = parent(ExpressionKind::Conditional, line, "", std::move(value), std::move(condition),
                           std::move(otherwise));
        }
        return value;
    }

    ExpressionPtr disjunction()
    {
        auto left = conjunction();
        while (m_tokens.isName("or")) {
            link();
            const auto line = m_tokens.next().line;
            left = parent(ExpressionKind::Or, line, "", std::move(left), conjunction());
        }
        return left;
    }

private:
    /// Counts how deep brackets, signs and conditions are nested.
    struct Nesting
    {
        explicit Nesting(ExpressionParser& owner)
            : parser(owner)
        {
            if (++parser.m_depth > kMaximumDepth)
                parser.m_tokens.fail("an expression is nested too deeply");
        }
        ~Nesting() { --parser.m_depth; }
        ExpressionParser& parser;
    };

    /// Counts the links of chains (a + b + c, a | b | c), which no bracket shows.
    void link()
    {
        if (++m_links > kMaximumLinks)
            m_tokens.fail("an expression is too long");
    }

    ExpressionPtr conjunction()
    {
        auto left = negation();
        while (m_tokens.isName("and")) {
            link();
            const auto line = m_tokens.next().line;
            left = parent(ExpressionKind::And, line, "", std::move(left), negation());
        }
        return left;
    }

    ExpressionPtr negation()
    {
        if (!m_tokens.isName("not"))
            return comparison();
        const Nesting nesting(*this);
        const auto line = m_tokens.next().line;
        return parent(ExpressionKind::Not, line, "", negation());
    }

    ExpressionPtr comparison()
    {
        auto left = sum();
        bool compared = false;
        while (true) {
            const auto line = m_tokens.peek().line;
            std::string text;
            for (const auto* known : {"==", "!=", "<=", ">=", "<", ">"})
                if (m_tokens.isOperator(known))
                    text = known;
            if (m_tokens.isName("in"))
                text = "in";
            if (m_tokens.isName("not") && m_tokens.peek(1).kind == TokenKind::Name &&
                m_tokens.peek(1).text == "in") {
                m_tokens.next();
                text = "not in";
            }
            if (text.empty())
                return left;
            if (compared)
                m_tokens.fail("chains of comparisons are not taken");
            compared = true;
            m_tokens.next();
            left = parent(ExpressionKind::Compare, line, text, std::move(left), sum());
        }
    }

    using Level = ExpressionPtr (ExpressionParser::*)();

    ExpressionPtr binary(std::initializer_list<std::string_view> operators, Level tighter)
    {
        auto left = (this->*tighter)();
        while (true) {
            const auto found = std::find_if(operators.begin(), operators.end(),
                                            [this](auto text) { return m_tokens.isOperator(text); });
            if (found == operators.end())
                return left;
            link();
            const auto line = m_tokens.next().line;
            left = parent(ExpressionKind::Arithmetic, line, std::string(*found), std::move(left),
                          (this->*tighter)());
        }
    }

    ExpressionPtr sum() { return binary({"+", "-"}, &ExpressionParser::concatenation); }
    ExpressionPtr concatenation() { return binary({"~"}, &ExpressionParser::product); }
    ExpressionPtr product() { return binary({"*", "/", "//", "%"}, &ExpressionParser::sign); }

    ExpressionPtr sign()
    {
        const Nesting nesting(*this);
        const auto line = m_tokens.peek().line;
        if (m_tokens.takeOperator("-"))
            return filtered(parent(ExpressionKind::Negate, line, "", unfiltered()));
        if (m_tokens.takeOperator("+"))
            return sign();
        return filtered(unfiltered());
    }

    ExpressionPtr unfiltered()
    {
        const Nesting nesting(*this);
        const auto line = m_tokens.peek().line;
        if (m_tokens.takeOperator("-"))
            return parent(ExpressionKind::Negate, line, "", unfiltered());
        auto value = postfix(primary());
        if (m_tokens.isOperator("**"))
            m_tokens.fail("powers are not taken");
        return value;
    }

    ExpressionPtr postfix(ExpressionPtr value)
    {
        while (true) {
            const auto line = m_tokens.peek().line;
            if (m_tokens.isOperator(".") || m_tokens.isOperator("[") || m_tokens.isOperator("("))
                link();
            if (m_tokens.takeOperator(".")) {
                if (m_tokens.peek().kind == TokenKind::Integer)
                    value =
                        parent(ExpressionKind::Index, line, "", std::move(value), integer(m_tokens.next()));
                else
                    value = parent(ExpressionKind::Attribute, line, m_tokens.expectName(), std::move(value));
            } else if (m_tokens.takeOperator("[")) {
                value = subscript(std::move(value), line);
            } else if (m_tokens.isOperator("(")) {
                auto call = node(ExpressionKind::Call, line);
                call->children.push_back(std::move(value));
                call->arguments = arguments();
                value = std::move(call);
            } else {
                return value;
            }
        }
    }

    ExpressionPtr filtered(ExpressionPtr value)
    {
        while (true) {
            const auto line = m_tokens.peek().line;
            if (m_tokens.isOperator("|") || m_tokens.isName("is"))
                link();
            if (m_tokens.takeOperator("|")) {
                auto filter = node(ExpressionKind::Filter, line, m_tokens.expectName());
                filter->children.push_back(std::move(value));
                if (m_tokens.isOperator("("))
                    filter->arguments = arguments();
                value = postfix(std::move(filter));
            } else if (m_tokens.takeName("is")) {
                value = test(std::move(value), line);
            } else {
                return value;
            }
        }
    }

    ExpressionPtr test(ExpressionPtr value, std::int32_t line)
    {
        const bool negated = m_tokens.takeName("not");
        auto made = node(ExpressionKind::Test, line, m_tokens.expectName());
        made->children.push_back(std::move(value));
        const auto& next = m_tokens.peek();
        const bool word = next.kind == TokenKind::Name && next.text != "and" && next.text != "or" &&
                          next.text != "if" && next.text != "else" && next.text != "is" &&
                          next.text != "in" && next.text != "not";
        if (m_tokens.isOperator("("))
            made->arguments = arguments();
        else if (word || next.kind == TokenKind::Text || next.kind == TokenKind::Integer ||
                 next.kind == TokenKind::Float || m_tokens.isOperator("[") || m_tokens.isOperator("{"))
            made->arguments.push_back({"", postfix(primary())});
        ExpressionPtr result = std::move(made);
        return negated ? parent(ExpressionKind::Not, line, "", std::move(result)) : std::move(result);
    }

    std::vector<Argument> arguments()
    {
        std::vector<Argument> given;
        m_tokens.expectOperator("(");
        while (!m_tokens.takeOperator(")")) {
            if (!given.empty()) {
                m_tokens.expectOperator(",");
                if (m_tokens.takeOperator(")"))
                    break;
            }
            Argument argument;
            if (m_tokens.peek().kind == TokenKind::Name && m_tokens.peek(1).kind == TokenKind::Operator &&
                m_tokens.peek(1).text == "=") {
                argument.name = m_tokens.expectName();
                m_tokens.expectOperator("=");
            }
            argument.value = conditional();
            given.push_back(std::move(argument));
        }
        return given;
    }

    ExpressionPtr subscript(ExpressionPtr value, std::int32_t line)
    {
        std::array<ExpressionPtr, 3> parts;
        std::size_t part = 0;
        bool slice = false;
        while (!m_tokens.takeOperator("]")) {
            if (m_tokens.takeOperator(":")) {
                slice = true;
                if (++part == parts.size())
                    m_tokens.fail("a slice has at most three parts");
            } else if (parts[part]) {
                m_tokens.fail("\"]\" is missing");
            } else {
                parts[part] = conditional();
            }
        }
        if (!slice && !parts[0])
            m_tokens.fail("an index is missing");
        if (!slice)
            return parent(ExpressionKind::Index, line, "", std::move(value), std::move(parts[0]));
        return parent(ExpressionKind::Slice, line, "", std::move(value), std::move(parts[0]),
                      std::move(parts[1]), std::move(parts[2]));
    }

    static ExpressionPtr literal(Value value, std::int32_t line)
    {
        auto made = node(ExpressionKind::Literal, line);
        made->literal = std::move(value);
        return made;
    }

    ExpressionPtr integer(const Token& token)
    {
        std::int64_t value = 0;
        const auto [end, code] =
            std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (code != std::errc() || end != token.text.data() + token.text.size())
            m_tokens.fail("the number " + token.text.substr(0, 40) + " is too large");
        return literal(Value::of(value), token.line);
    }

    ExpressionPtr primary()
    {
        const auto token = m_tokens.next();
        if (token.kind == TokenKind::Name)
            return named(token);
        if (token.kind == TokenKind::Integer)
            return integer(token);
        if (token.kind == TokenKind::Float)
            return literal(Value::of(std::stod(token.text)), token.line);
        if (token.kind == TokenKind::Text) {
            auto text = token.text;
            while (m_tokens.peek().kind == TokenKind::Text)
                text += m_tokens.next().text;
            return literal(Value::of(text), token.line);
        }
        if (token.kind == TokenKind::Operator && token.text == "(")
            return bracketed(token.line);
        if (token.kind == TokenKind::Operator && token.text == "[")
            return list(token.line, "]");
        if (token.kind == TokenKind::Operator && token.text == "{")
            return dict(token.line);
        m_tokens.fail(token.text.empty() ? "an expression is missing"
                                         : "\"" + token.text + "\" is not expected");
    }

    static ExpressionPtr named(const Token& token)
    {
        if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False")
            return literal(Value::of(token.text == "true" || token.text == "True"), token.line);
        if (token.text == "none" || token.text == "None")
            return literal(Value::none(), token.line);
        return node(ExpressionKind::Name, token.line, token.text);
    }

    ExpressionPtr bracketed(std::int32_t line)
    {
        if (m_tokens.takeOperator(")"))
            return node(ExpressionKind::List, line);
        auto first = conditional();
        if (m_tokens.takeOperator(")"))
            return first;
        auto tuple = node(ExpressionKind::List, line);
        tuple->children.push_back(std::move(first));
        while (!m_tokens.takeOperator(")")) {
            m_tokens.expectOperator(",");
            if (!m_tokens.isOperator(")"))
                tuple->children.push_back(conditional());
        }
        return tuple;
    }

    ExpressionPtr list(std::int32_t line, std::string_view close)
    {
        auto made = node(ExpressionKind::List, line);
        while (!m_tokens.takeOperator(close)) {
            if (!made->children.empty())
                m_tokens.expectOperator(",");
            if (!m_tokens.isOperator(close))
                made->children.push_back(conditional());
        }
        return made;
    }

    ExpressionPtr dict(std::int32_t line)
    {
        auto made = node(ExpressionKind::Dict, line);
        while (!m_tokens.takeOperator("}")) {
            if (!made->children.empty())
                m_tokens.expectOperator(",");
            if (m_tokens.isOperator("}"))
                continue;
            made->children.push_back(conditional());
            m_tokens.expectOperator(":");
            made->children.push_back(conditional());
        }
        return made;
    }

    TokenStream& m_tokens;
    int m_depth = 0, m_links = 0;
};

} // namespace

ExpressionPtr parseExpression(TokenStream& tokens, bool conditional)
{
    ExpressionParser parser(tokens);
    return conditional ? parser.conditional() : parser.disjunction();
}

} // namespace assay::jinja
