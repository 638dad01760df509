#include "core/data/formats/published/first_error.h"

namespace assay {

StepwiseExample solutionWithFirstError(std::string prompt, std::vector<std::string> steps,
                                       std::int64_t firstError)
{
    StepwiseExample solution;
    solution.prompt = std::move(prompt);
    for (auto& text : steps) {
        const auto step = static_cast<std::int64_t>(solution.steps.size());
        const bool judged = firstError < 0 || step <= firstError;
        solution.steps.push_back(
            {std::move(text), judged ? Label::of(step == firstError ? 0.0F : 1.0F) : Label::none()});
    }
    solution.declaredFirstError = static_cast<int>(firstError);
    return solution;
}

} // namespace assay
