#include "core/data/formats/published/step_tags.h"

namespace assay {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string> taggedParts(std::string_view text)
{
    std::vector<std::string> parts;
    for (auto tag = text.find(kStepTag); tag != std::string_view::npos; tag = text.find(kStepTag)) {
        parts.emplace_back(trimmed(text.substr(0, tag)));
        text.remove_prefix(tag + kStepTag.size());
    }
    return parts;
}

} // namespace assay
