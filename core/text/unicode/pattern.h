#pragma once

#include "core/base/result.h"
#include "core/text/unicode/aligned_text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A regular expression as tokenizer files write them (Oniguruma's syntax), matched by PCRE2. Immutable, safe
/// to use from several threads. Every match has limits; a text on which they are reached counts as unmatched
/// from there on, which is one of the TextFaults.
class Pattern
{
public:
    /// Errors: BadModel for what is no expression or too large.
    static Result<Pattern> compile(std::string_view expression);
    /// One that takes `text` literally; must not be empty.
    static Pattern literal(std::string_view text);

    /// Matches from left to right, without empty ones.
    std::vector<ByteRange> matches(std::string_view text) const;

private:
    struct Program;
    Pattern() = default;

    std::shared_ptr<const Program> m_program; ///< null: m_literal is looked for
    std::string m_literal;
};

} // namespace assay
