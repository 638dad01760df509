#include "core/text/layouts/sequence_edit.h"

#include <algorithm>

namespace assay {

void appendTokens(Sequence& sequence, std::span<const TokenId> ids, TokenRole role, std::int32_t step)
{
    sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
    sequence.roles.insert(sequence.roles.end(), ids.size(), role);
    sequence.step.insert(sequence.step.end(), ids.size(), step);
}

void removeTokens(Sequence& sequence, std::int32_t begin, std::int32_t count)
{
    const auto erase = [=](auto& values) {
        values.erase(values.begin() + begin, values.begin() + begin + count);
    };
    erase(sequence.ids);
    erase(sequence.roles);
    erase(sequence.step);
}

std::int32_t countTokens(const Sequence& sequence, TokenRole role)
{
    return static_cast<std::int32_t>(std::count(sequence.roles.begin(), sequence.roles.end(), role));
}

} // namespace assay
