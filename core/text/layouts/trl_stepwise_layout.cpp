#include "core/text/layouts/row_error.h"
#include "core/text/layouts/step_row.h"

#include <algorithm>

namespace assay {

namespace {

/// Ids and labels of TRL's PRMTrainer (versions 0.13 to 1.13; `maximumPromptTokens` existed from 0.14 to
/// 0.27). Soft labels keep their value, which the reference cuts to 0. What it crashes on or gets silently
/// wrong is an error here.
class TrlStepwiseLayout : public StepLayout
{
public:
    using StepLayout::StepLayout;

protected:
    Result<LaidOut> layOutSteps(const Example& example, const StepwiseExample& solution,
                                bool training) const override
    {
        TRY_STATUS(checkReference(example, solution, training));
        StepRow row(solution.steps.size());
        appendPrompt(row, solution);
        // The last n, so BOS goes first: that is what those versions did.
        if (m_options.maximumPromptTokens && row.size() > *m_options.maximumPromptTokens)
            row.remove(0, row.size() - *m_options.maximumPromptTokens);
        const auto promptTokens = row.size();
        TRY_STATUS(appendSteps(row, example, solution));
        if (m_options.maximumCompletionTokens)
            row.keepFirst(promptTokens + *m_options.maximumCompletionTokens);
        return limit(std::move(row), example, labelsOf(solution, training));
    }

private:
    Status checkReference(const Example& example, const StepwiseExample& solution, bool training) const
    {
        if (training && m_options.trainOnLastStepOnly && solution.steps.empty())
            return rowError(example, "the row has no step, so there is no last step to train on");
        const auto supervised = std::count_if(solution.steps.begin(), solution.steps.end(),
                                              [](const Step& step) { return step.label.supervised; });
        // A row without any label is one to be scored; the reference knows nothing between that and all
        // labels.
        if (supervised != 0 && supervised != static_cast<std::ptrdiff_t>(solution.steps.size()))
            return rowError(example,
                            "some of its steps have no label; trl-stepwise has no unsupervised steps",
                            "Use the layout stepwise");
        return {};
    }
};

} // namespace

LayoutPtr makeTrlStepwiseLayout(LayoutOptions options, TokenizerPtr tokenizer)
{
    return std::make_shared<TrlStepwiseLayout>(std::move(options), std::move(tokenizer));
}

} // namespace assay
