#include "core/text/chat/chat_template.h"

namespace assay {

Result<ChatTemplate> ChatTemplate::parse(std::string source, std::string bos, std::string eos)
{
    TRY(auto program, JinjaTemplate::parse(source));
    return ChatTemplate(std::move(source), std::move(program), std::move(bos), std::move(eos));
}

Result<std::string> ChatTemplate::render(std::span<const Message> messages, bool openAnswer) const
{
    auto list = nlohmann::ordered_json::array();
    for (const auto& message : messages)
        list.push_back({{"role", message.role}, {"content", message.content}});
    // transformers names tools and documents to every template, as none where a caller gives none.
    return m_program.render({{"messages", std::move(list)},
                             {"tools", nullptr},
                             {"documents", nullptr},
                             {"add_generation_prompt", openAnswer},
                             {"bos_token", m_bos},
                             {"eos_token", m_eos}});
}

} // namespace assay
