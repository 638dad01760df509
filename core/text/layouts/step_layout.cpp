#include "core/text/layouts/row_error.h"
#include "core/text/layouts/step_row.h"

namespace assay {

namespace {

/// Ids and labels as the file gives them: every supervised position is one score.
LaidOut layOutGiven(const TokenisedExample& row)
{
    LaidOut out;
    Sequence sequence;
    sequence.ids = row.ids;
    sequence.roles.assign(row.ids.size(), TokenRole::Given);
    sequence.step.assign(row.ids.size(), -1);
    for (std::size_t i = 0; i < row.labels.size(); ++i) {
        if (!row.labels[i].supervised)
            continue;
        const auto ordinal = static_cast<std::int32_t>(out.scores.size());
        const auto position = static_cast<std::int32_t>(i);
        sequence.step[i] = ordinal;
        out.readOuts.push_back({0, {{position, position + 1}}, Pooling::Last});
        out.scores.push_back({ordinal, -1});
        out.scoreStep.push_back(ordinal);
        out.targets.value.push_back(row.labels[i].value);
        out.targets.mask.push_back(1);
    }
    out.sequences.push_back(std::move(sequence));
    return out;
}

} // namespace

StepLayout::StepLayout(LayoutOptions options, TokenizerPtr tokenizer)
    : m_options(std::move(options))
    , m_tokenizer(std::move(tokenizer))
{
    if (m_tokenizer)
        m_separator = m_tokenizer->encode(m_options.stepSeparator);
}

Result<LaidOut> StepLayout::layOut(const Example& example, bool training) const
{
    if (const auto* given = example.tokenised()) {
        if (given->ids.empty() || given->ids.size() != given->labels.size())
            return rowError(example, std::to_string(given->ids.size()) + " ids and " +
                                         std::to_string(given->labels.size()) + " labels");
        return layOutGiven(*given);
    }
    if (!example.stepwise())
        return rowError(example, "the row is a preference, and this layout takes steps",
                        "Choose the layout pairwise or trl-pairwise");
    if (!m_tokenizer)
        return rowError(example, "the row is text, and there is no tokenizer",
                        "Choose a model with a tokenizer");
    TRY_STATUS(checkLimits(example, m_options));
    return layOutSteps(example, *example.stepwise(), training);
}

void StepLayout::appendPrompt(StepRow& row, const StepwiseExample& solution) const
{
    const auto bos = m_tokenizer->special().bos;
    if (m_options.addBos && bos)
        row.append({&*bos, 1}, TokenRole::Bos);
    row.append(m_tokenizer->encode(solution.prompt), TokenRole::Prompt);
}

Status StepLayout::appendSteps(StepRow& row, const Example& example, const StepwiseExample& solution) const
{
    for (std::size_t step = 0; step < solution.steps.size(); ++step) {
        const auto before = row.size();
        const auto number = static_cast<std::int32_t>(step);
        row.append(m_tokenizer->encode(solution.steps[step].text), TokenRole::Step, number);
        row.append(m_separator, TokenRole::Separator, number);
        if (row.size() == before)
            return rowError(
                example,
                "step " + std::to_string(step + 1) +
                    " has no token to read: its text is empty and so is the separator for this tokenizer",
                "Remove the step, or choose a step separator that the tokenizer keeps");
        row.readHere(step);
    }
    return {};
}

std::vector<Label> StepLayout::labelsOf(const StepwiseExample& solution, bool training) const
{
    std::vector<Label> labels;
    labels.reserve(solution.steps.size());
    for (const auto& step : solution.steps)
        labels.push_back(step.label);
    if (training && m_options.trainOnLastStepOnly)
        for (std::size_t i = 0; i + 1 < labels.size(); ++i)
            labels[i].supervised = false;
    return labels;
}

Result<LaidOut> StepLayout::limit(StepRow row, const Example& example, std::span<const Label> labels) const
{
    if (!m_options.maximumTokens || row.size() <= *m_options.maximumTokens)
        return std::move(row).finish(labels);
    const auto over = row.size() - *m_options.maximumTokens;
    switch (m_options.truncation) {
    case Truncation::DropRow:
        return row.drop(labels);
    case Truncation::Fail:
        return rowError(example,
                        "the row has " + std::to_string(row.size()) + " tokens, the limit is " +
                            std::to_string(*m_options.maximumTokens),
                        "Raise the maximum length, or choose a truncation that cuts or drops");
    case Truncation::CutRight:
        row.keepFirst(*m_options.maximumTokens);
        return std::move(row).finish(labels);
    case Truncation::CutPromptLeft:
        // BOS stays; a row whose steps alone are too long has nothing that this policy may cut.
        if (row.count(TokenRole::Prompt) < over)
            return row.drop(labels);
        row.remove(row.count(TokenRole::Bos), over);
        return std::move(row).finish(labels);
    }
    CHECK(false, "truncation policy");
    return row.drop(labels);
}

} // namespace assay
