#include "core/text/layouts/step_row.h"

#include "core/text/layouts/sequence_edit.h"

namespace assay {

void StepRow::append(std::span<const TokenId> ids, TokenRole role, std::int32_t step)
{
    appendTokens(m_sequence, ids, role, step);
}

void StepRow::keepFirst(std::int32_t tokens)
{
    if (tokens < size())
        remove(tokens, size() - tokens);
}

void StepRow::remove(std::int32_t begin, std::int32_t count)
{
    removeTokens(m_sequence, begin, count);
    for (auto& position : m_readAt) {
        if (position >= begin + count)
            position -= count;
        else if (position >= begin)
            position = kNoRead;
    }
    m_cutTokens += count;
}

std::int32_t StepRow::count(TokenRole role) const
{
    return countTokens(m_sequence, role);
}

LaidOut StepRow::finish(std::span<const Label> labels) &&
{
    LaidOut out;
    out.cut.tokens = m_cutTokens;
    for (std::size_t step = 0; step < m_readAt.size(); ++step) {
        const auto position = m_readAt[step];
        const auto& label = labels[step];
        if (position == kNoRead) {
            ++out.cut.readOuts;
            if (label.supervised)
                ++(label.value >= 0.5F ? out.cut.labelsCorrect : out.cut.labelsWrong);
            continue;
        }
        out.scores.push_back({static_cast<std::int32_t>(out.readOuts.size()), -1});
        out.readOuts.push_back({0, {{position, position + 1}}, Pooling::Last});
        out.scoreStep.push_back(static_cast<std::int32_t>(step));
        out.targets.value.push_back(label.value);
        out.targets.mask.push_back(label.supervised ? 1 : 0);
    }
    out.sequences.push_back(std::move(m_sequence));
    return out;
}

LaidOut StepRow::drop(std::span<const Label> labels) const
{
    StepRow nothing(m_readAt.size());
    auto out = std::move(nothing).finish(labels);
    out.sequences.clear();
    out.cut.tokens = m_cutTokens + size();
    out.cut.dropped = true;
    return out;
}

} // namespace assay
