#include "core/data/preference_prompt.h"

#include <algorithm>
#include <string_view>

namespace assay {

namespace {

constexpr std::string_view kAssistantTag = "\n\nAssistant:";
constexpr std::string_view kWhiteSpace = " \t\r\n";

std::string_view commonStart(const std::vector<Passage>& passages)
{
    std::string_view common = passages.front().text;
    for (const auto& passage : passages) {
        const auto size = std::min(common.size(), passage.text.size());
        const auto end = std::mismatch(common.begin(), common.begin() + static_cast<std::ptrdiff_t>(size),
                                       passage.text.begin());
        common = common.substr(0, static_cast<std::size_t>(end.first - common.begin()));
    }
    return common;
}

bool allEqual(const std::vector<Passage>& passages)
{
    return std::all_of(passages.begin(), passages.end(),
                       [&passages](const Passage& passage) { return passage == passages.front(); });
}

/// Bytes of the prompt that whole texts begin with.
std::size_t promptBytes(const std::vector<Passage>& passages)
{
    const auto common = commonStart(passages);
    if (const auto tag = common.rfind(kAssistantTag); tag != std::string_view::npos)
        return tag + kAssistantTag.size();
    if (allEqual(passages))
        return 0;
    const auto blank = common.find_last_of(kWhiteSpace);
    return blank == std::string_view::npos ? 0 : blank + 1;
}

/// Messages of the prompt that whole conversations begin with.
std::size_t promptMessages(const std::vector<Passage>& passages)
{
    std::size_t shared = passages.front().messages.size();
    for (const auto& passage : passages) {
        const auto& messages = passage.messages;
        shared = std::min(shared, messages.size());
        const auto end =
            std::mismatch(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(shared),
                          passages.front().messages.begin());
        shared = static_cast<std::size_t>(end.first - messages.begin());
    }
    for (const auto& passage : passages)
        shared = std::min(shared, std::max<std::size_t>(1, passage.messages.size()) - 1);
    return shared;
}

} // namespace

void cutPrompt(PreferenceExample& row)
{
    if (row.candidates.empty())
        return;
    row.promptCut = true;
    const auto messages = promptMessages(row.candidates);
    const auto bytes = promptBytes(row.candidates);
    const auto& first = row.candidates.front();
    row.prompt.text = first.text.substr(0, bytes);
    row.prompt.messages.assign(first.messages.begin(),
                               first.messages.begin() + static_cast<std::ptrdiff_t>(messages));
    for (auto& candidate : row.candidates) {
        candidate.text.erase(0, bytes);
        candidate.messages.erase(candidate.messages.begin(),
                                 candidate.messages.begin() + static_cast<std::ptrdiff_t>(messages));
    }
}

Passage openingOf(const PreferenceExample& row)
{
    Passage opening = row.prompt;
    auto& messages = opening.messages;
    messages.erase(std::find_if(messages.begin(), messages.end(),
                                [](const Message& message) { return message.role == "assistant"; }),
                   messages.end());
    auto& text = opening.text;
    if (const auto tag = text.find(kAssistantTag); tag != std::string::npos) {
        text.resize(tag);
    } else if (row.promptCut) {
        const auto line = text.rfind('\n');
        text.resize(line == std::string::npos ? 0 : line);
        if (text.find_first_not_of(kWhiteSpace) == std::string::npos)
            text.clear();
    }
    return opening;
}

} // namespace assay
