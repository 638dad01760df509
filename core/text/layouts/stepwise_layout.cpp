#include "core/text/layouts/step_row.h"

namespace assay {

namespace {

class StepwiseLayout : public StepLayout
{
public:
    StepwiseLayout(LayoutOptions options, TokenizerPtr tokenizer)
        : StepLayout(std::move(options), std::move(tokenizer))
    {
        if (m_tokenizer)
            m_promptSeparator = m_tokenizer->encode(m_options.promptSeparator);
    }

protected:
    Result<LaidOut> layOutSteps(const Example& example, const StepwiseExample& solution,
                                bool training) const override
    {
        StepRow row(solution.steps.size());
        appendPrompt(row, solution);
        row.append(m_promptSeparator, TokenRole::Separator);
        TRY_STATUS(appendSteps(row, example, solution));
        return limit(std::move(row), example, labelsOf(solution, training));
    }

private:
    std::vector<TokenId> m_promptSeparator;
};

} // namespace

LayoutPtr makeStepwiseLayout(LayoutOptions options, TokenizerPtr tokenizer)
{
    return std::make_shared<StepwiseLayout>(std::move(options), std::move(tokenizer));
}

} // namespace assay
