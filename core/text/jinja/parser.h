#pragma once

#include "core/text/jinja/ast.h"
#include "core/text/jinja/lexer.h"

#include <string_view>

namespace assay::jinja {

/// The words of a template with a place in them. Throws Fault with the line.
class TokenStream
{
public:
    explicit TokenStream(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {}

    const Token& peek(std::size_t ahead = 0) const;
    Token next();
    bool isOperator(std::string_view text) const;
    bool isName(std::string_view text) const;
    bool takeOperator(std::string_view text);
    bool takeName(std::string_view text);
    void expectOperator(std::string_view text);
    std::string expectName();
    void expect(TokenKind kind, std::string_view what);
    [[noreturn]] void fail(std::string_view message) const;

private:
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
};

/// An expression; `conditional` = whether `a if b else c` may stand here without brackets. Throws Fault.
ExpressionPtr parseExpression(TokenStream& tokens, bool conditional = true);

/// A whole template. Throws Fault with the line for what is outside the language that is taken.
Statements parseTemplate(std::string_view source);

} // namespace assay::jinja
