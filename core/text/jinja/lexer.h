#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::jinja {

enum class TokenKind {
    Data,
    OutputBegin,
    OutputEnd,
    BlockBegin,
    BlockEnd,
    Name,
    Text,
    Integer,
    Float,
    Operator,
    End
};

/// A word of a template.
struct Token
{
    TokenKind kind = TokenKind::End;
    std::string text; ///< of a string literal: its content
    std::int32_t line = 1;
};

/// The words of a template under the rules that transformers sets: the first line break behind a block and
/// the blanks before it on its line are dropped, and so is one line break at the very end. Throws Fault.
std::vector<Token> tokenize(std::string_view source);

} // namespace assay::jinja
