#pragma once

#include "core/data/example.h"
#include "core/text/jinja/template.h"

#include <span>

namespace assay {

/// Writes a conversation as the one text that a model was trained on.
class ChatTemplate
{
public:
    /// `bos`, `eos`: spellings that the template may write. Errors: as `JinjaTemplate::parse`.
    static Result<ChatTemplate> parse(std::string source, std::string bos, std::string eos);

    /// `openAnswer`: with what an answer begins behind the last message. Errors: BadData when the template
    /// refuses the conversation, Unsupported for what the template asks and is not taken.
    Result<std::string> render(std::span<const Message> messages, bool openAnswer) const;
    const std::string& source() const { return m_source; }

private:
    ChatTemplate(std::string source, JinjaTemplate program, std::string bos, std::string eos)
        : m_source(std::move(source))
        , m_program(std::move(program))
        , m_bos(std::move(bos))
        , m_eos(std::move(eos))
    {}

    std::string m_source;
    JinjaTemplate m_program;
    std::string m_bos, m_eos;
};

} // namespace assay
