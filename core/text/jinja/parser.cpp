#include "core/text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::jinja {

namespace {

constexpr int kMaximumNesting = 50;

class TemplateParser
{
public:
    explicit TemplateParser(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {}

    Statements run()
    {
        auto statements = body({});
        if (m_tokens.peek().kind != TokenKind::End)
            m_tokens.fail("a block ends that did not begin");
        return statements;
    }

private:
    /// Statements up to a block whose name is one of `ends`; its name is left to be read.
    Statements body(std::initializer_list<std::string_view> ends)
    {
        if (++m_depth > kMaximumNesting)
            m_tokens.fail("blocks are nested too deeply");
        Statements statements;
        while (m_tokens.peek().kind != TokenKind::End) {
            if (m_tokens.peek().kind != TokenKind::BlockBegin) {
                statements.push_back(plain());
                continue;
            }
            const auto& name = m_tokens.peek(1).text;
            if (name.starts_with("end") || name == "else" || name == "elif") {
                if (std::find(ends.begin(), ends.end(), name) == ends.end())
                    m_tokens.fail("\"" + name + "\" is not expected here");
                --m_depth;
                m_tokens.next();
                return statements;
            }
            m_tokens.next();
            statements.push_back(block());
        }
        if (ends.size() > 0)
            m_tokens.fail(fmt::format("\"{}\" is missing", *(ends.end() - 1)));
        --m_depth;
        return statements;
    }

    std::unique_ptr<Statement> statement(StatementKind kind) const
    {
        auto made = std::make_unique<Statement>();
        made->kind = kind;
        made->line = m_tokens.peek().line;
        return made;
    }

    std::unique_ptr<const Statement> plain()
    {
        auto token = m_tokens.next();
        if (token.kind == TokenKind::Data) {
            auto data = statement(StatementKind::Data);
            data->text = std::move(token.text);
            return data;
        }
        auto output = statement(StatementKind::Output);
        output->expression = parseExpression(m_tokens);
        m_tokens.expect(TokenKind::OutputEnd, "}}");
        return output;
    }

    void endTag() { m_tokens.expect(TokenKind::BlockEnd, "%}"); }

    std::unique_ptr<const Statement> block()
    {
        const auto name = m_tokens.expectName();
        if (name == "if")
            return ifBlock();
        if (name == "for")
            return forBlock();
        if (name == "set")
            return setBlock();
        if (name == "macro")
            return macroBlock();
        if (name == "break" || name == "continue") {
            auto made = statement(name == "break" ? StatementKind::Break : StatementKind::Continue);
            endTag();
            return made;
        }
        if (name == "generation") {
            auto made = statement(StatementKind::Body);
            endTag();
            made->body = body({"endgeneration"});
            m_tokens.next();
            endTag();
            return made;
        }
        m_tokens.fail("the block \"" + name + "\" is not taken");
    }

    std::unique_ptr<const Statement> ifBlock()
    {
        auto made = statement(StatementKind::If);
        for (bool conditional = true;;) {
            Branch branch;
            if (conditional)
                branch.condition = parseExpression(m_tokens);
            endTag();
            branch.body = conditional ? body({"elif", "else", "endif"}) : body({"endif"});
            made->branches.push_back(std::move(branch));
            const auto end = m_tokens.expectName();
            if (end == "endif")
                break;
            conditional = end == "elif";
        }
        endTag();
        return made;
    }

    std::vector<std::string> targets()
    {
        std::vector<std::string> names;
        const bool bracket = m_tokens.takeOperator("(");
        do {
            names.push_back(m_tokens.expectName());
        } while (m_tokens.takeOperator(","));
        if (bracket)
            m_tokens.expectOperator(")");
        return names;
    }

    std::unique_ptr<const Statement> forBlock()
    {
        auto made = statement(StatementKind::For);
        made->names = targets();
        if (!m_tokens.takeName("in"))
            m_tokens.fail("\"in\" is missing");
        made->expression = parseExpression(m_tokens, false);
        if (m_tokens.takeName("if"))
            made->condition = parseExpression(m_tokens, false);
        if (m_tokens.isName("recursive"))
            m_tokens.fail("recursive loops are not taken");
        endTag();
        made->body = body({"else", "endfor"});
        if (m_tokens.expectName() == "else") {
            endTag();
            made->otherwise = body({"endfor"});
            m_tokens.next();
        }
        endTag();
        return made;
    }

    std::unique_ptr<const Statement> setBlock()
    {
        auto made = statement(StatementKind::Set);
        made->names = targets();
        if (made->names.size() == 1 && m_tokens.takeOperator("."))
            made->attribute = m_tokens.expectName();
        if (m_tokens.takeOperator("=")) {
            made->expression = valueOrTuple();
            endTag();
            return made;
        }
        if (made->names.size() != 1 || m_tokens.peek().kind != TokenKind::BlockEnd)
            m_tokens.fail("\"=\" is missing");
        endTag();
        made->body = body({"endset"});
        m_tokens.next();
        endTag();
        return made;
    }

    /// `set a, b = 1, 2`
    ExpressionPtr valueOrTuple()
    {
        auto first = parseExpression(m_tokens);
        if (!m_tokens.isOperator(","))
            return first;
        auto tuple = std::make_unique<Expression>();
        tuple->kind = ExpressionKind::List;
        tuple->line = first->line;
        tuple->children.push_back(std::move(first));
        while (m_tokens.takeOperator(","))
            tuple->children.push_back(parseExpression(m_tokens));
        return tuple;
    }

    std::unique_ptr<const Statement> macroBlock()
    {
        auto made = statement(StatementKind::Macro);
        auto macro = std::make_shared<MacroDefinition>();
        macro->name = m_tokens.expectName();
        m_tokens.expectOperator("(");
        while (!m_tokens.takeOperator(")")) {
            if (!macro->parameters.empty())
                m_tokens.expectOperator(",");
            Parameter parameter;
            parameter.name = m_tokens.expectName();
            if (m_tokens.takeOperator("="))
                parameter.missing = parseExpression(m_tokens);
            macro->parameters.push_back(std::move(parameter));
        }
        endTag();
        macro->body = body({"endmacro"});
        m_tokens.next();
        if (m_tokens.peek().kind == TokenKind::Name)
            m_tokens.next();
        endTag();
        made->macro = std::move(macro);
        return made;
    }

    TokenStream m_tokens;
    int m_depth = 0;
};

} // namespace

const Token& TokenStream::peek(std::size_t ahead) const
{
    return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
}

Token TokenStream::next()
{
    auto token = peek();
    m_at = std::min(m_at + 1, m_tokens.size() - 1);
    return token;
}

bool TokenStream::isOperator(std::string_view text) const
{
    return peek().kind == TokenKind::Operator && peek().text == text;
}

bool TokenStream::isName(std::string_view text) const
{
    return peek().kind == TokenKind::Name && peek().text == text;
}

bool TokenStream::takeOperator(std::string_view text)
{
    const bool found = isOperator(text);
    if (found)
        next();
    else if (peek().kind == TokenKind::End)
        fail("the template ends inside a tag");
    return found;
}

bool TokenStream::takeName(std::string_view text)
{
    const bool found = isName(text);
    if (found)
        next();
    return found;
}

void TokenStream::expectOperator(std::string_view text)
{
    if (!takeOperator(text))
        fail(fmt::format("\"{}\" is missing", text));
}

std::string TokenStream::expectName()
{
    if (peek().kind != TokenKind::Name)
        fail("a name is missing");
    return next().text;
}

void TokenStream::expect(TokenKind kind, std::string_view what)
{
    if (peek().kind != kind)
        fail(fmt::format("\"{}\" is missing", what));
    next();
}

void TokenStream::fail(std::string_view message) const
{
    throw Fault(fmt::format("line {}: {}", peek().line, message));
}

Statements parseTemplate(std::string_view source)
{
    return TemplateParser(tokenize(source)).run();
}

} // namespace assay::jinja
