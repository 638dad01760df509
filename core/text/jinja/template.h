#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace assay {

/// A Jinja template, rendered as the field's programs render chat templates: sandboxed, with block trimming,
/// what is not defined prints as nothing. Only the part of the language that published chat templates use is
/// taken; all else is an error with its line. Immutable, safe to use from several threads.
class JinjaTemplate
{
public:
    /// Errors: Unsupported with the line of what is not taken; BadModel for a template that is too large.
    static Result<JinjaTemplate> parse(std::string_view source);

    /// `context`: the names that the template sees. Errors: BadData with the template's own words where it
    /// raises one; Unsupported with the line for everything else, limits of steps and size included.
    Result<std::string> render(const nlohmann::ordered_json& context) const;

private:
    struct Program;
    std::shared_ptr<const Program> m_program;
};

} // namespace assay
