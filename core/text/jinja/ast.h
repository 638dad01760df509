#pragma once

#include "core/text/jinja/value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::jinja {

enum class ExpressionKind {
    Literal,
    Name,      ///< text
    List,      ///< children
    Dict,      ///< children: key, value, key, value, ...
    Attribute, ///< children[0] . text
    Index,     ///< children[0] [ children[1] ]
    Slice,     ///< children[0] [ children[1] : children[2] : children[3] ], each may be null
    Call,      ///< children[0] ( arguments )
    Filter,    ///< children[0] | text ( arguments )
    Test,      ///< children[0] is text ( arguments )
    Not,
    Negate,
    And,
    Or,
    Compare,    ///< children[0] text children[1]
    Arithmetic, ///< children[0] text children[1]
    Conditional ///< children[0] if children[1] else children[2]; the last may be null
};

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Argument
{
    std::string name; ///< empty = by position
    ExpressionPtr value;
};

struct Expression
{
    ExpressionKind kind = ExpressionKind::Literal;
    std::int32_t line = 0;
    std::string text;
    Value literal;
    std::vector<ExpressionPtr> children;
    std::vector<Argument> arguments;
};

enum class StatementKind {
    Data,   ///< text
    Output, ///< expression
    If,     ///< branches; a condition may be null
    For,    ///< names in expression if condition: body, else otherwise
    Set,    ///< names, or names[0].attribute, from expression or (null) from body
    Macro,  ///< macro
    Body,   ///< body as it is: `generation`
    Break,
    Continue
};

struct Statement;
using Statements = std::vector<std::unique_ptr<const Statement>>;

struct Branch
{
    ExpressionPtr condition;
    Statements body;
};

struct Parameter
{
    std::string name;
    ExpressionPtr missing; ///< null: undefined when not given
};

struct MacroDefinition
{
    std::string name;
    std::vector<Parameter> parameters;
    Statements body;
};

struct Statement
{
    StatementKind kind = StatementKind::Data;
    std::int32_t line = 0;
    std::string text;
    ExpressionPtr expression, condition;
    std::vector<std::string> names;
    std::string attribute;
    Statements body, otherwise;
    std::vector<Branch> branches;
    std::shared_ptr<const MacroDefinition> macro;
};

} // namespace assay::jinja
