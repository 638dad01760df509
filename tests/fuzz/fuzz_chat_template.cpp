#include "core/text/chat/chat_template.h"
#include "tests/fuzz/memory_file.h"

#include <array>

/// A chat template of any content: refused, or it renders a conversation or refuses it, within its budget.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace assay;
    const auto parsed = ChatTemplate::parse(std::string(fuzz::view(data, size)), "<s>", "</s>");
    if (!parsed.ok()) {
        fuzz::checkError(parsed.error());
        return 0;
    }
    const std::array<Message, 3> messages{
        {{"system", "Be brief."}, {"user", "What is 1 + 1?\n"}, {"assistant", "Two, \xc3\xa4h."}}};
    for (const bool openAnswer : {false, true}) {
        const auto text = parsed->render(messages, openAnswer);
        if (!text.ok())
            fuzz::checkError(text.error());
    }
    return 0;
}
