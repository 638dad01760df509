#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/step_tags.h"

#include <algorithm>

namespace assay {

namespace {

/// Steps end with a tag, or stand apart by five line breaks.
std::vector<std::string> stepsOf(std::string_view process)
{
    if (process.find(kStepTag) != std::string_view::npos)
        return taggedParts(process);
    constexpr std::string_view kGap = "\n\n\n\n\n";
    std::vector<std::string> steps;
    while (!process.empty()) {
        const auto end = std::min(process.find(kGap), process.size());
        if (const auto step = trimmed(process.substr(0, end)); !step.empty())
            steps.emplace_back(step);
        process.remove_prefix(std::min(end + kGap.size(), process.size()));
    }
    return steps;
}

/// Training rows of OpenR: one text for all steps beside a list of labels, 1 or 0 (or -1), or fractions.
Result<Example> readOpenR(const simdjson::dom::object& row)
{
    StepwiseExample solution;
    TRY(solution.prompt, textValue(row, "question"));
    TRY(const auto process, textValue(row, "process"));
    for (auto& step : stepsOf(process))
        solution.steps.push_back({std::move(step), Label::none()});
    TRY(const auto labels, listValue(row, "labels"));
    if (labels.size() != solution.steps.size())
        return Error{ErrorCode::BadData, std::to_string(solution.steps.size()) + " steps in `process` and " +
                                             std::to_string(labels.size()) + " labels"};
    std::size_t step = 0;
    for (const auto value : labels) {
        const auto what = "labels[" + std::to_string(step) + "]";
        std::int64_t number = 0;
        if (value.get(number) == simdjson::SUCCESS && number == -1) {
            solution.steps[step].label = Label::of(0.0F);
        } else {
            TRY(solution.steps[step].label, labelValue(value, what));
        }
        ++step;
    }
    Example example;
    example.content = std::move(solution);
    example.metadata = otherColumns(row, {"question", "process", "labels"});
    return example;
}

} // namespace

const DatasetFormat& openRFormat()
{
    static const JsonFormat kFormat("openr", "OpenR training rows (question, process, labels)",
                                    {"question", "process", "labels"}, readOpenR);
    return kFormat;
}

} // namespace assay
