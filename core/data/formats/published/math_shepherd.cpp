#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/step_tags.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

Error badRow(const std::string& message)
{
    return {ErrorCode::BadData, message, "", ""};
}

/// The signs of `label`: where `input` has a tag, `label` has + or - (older files: the tag and then the
/// sign). Between them both are the same text.
Result<std::vector<Label>> readSigns(std::string_view input, std::string_view label)
{
    std::vector<Label> signs;
    for (auto tag = input.find(kStepTag); tag != std::string_view::npos; tag = input.find(kStepTag)) {
        const auto step = "step " + std::to_string(signs.size() + 1);
        if (label.substr(0, tag) != input.substr(0, tag))
            return badRow("`label` is another text than `input` before the sign of " + step);
        label.remove_prefix(std::min(tag, label.size()));
        input.remove_prefix(tag + kStepTag.size());
        if (label.starts_with(kStepTag))
            label = trimmed(label.substr(kStepTag.size()));
        if (!label.starts_with('+') && !label.starts_with('-'))
            return badRow("`label` has neither + nor - for " + step);
        signs.push_back(Label::of(label.front() == '+' ? 1.0F : 0.0F));
        label.remove_prefix(1);
    }
    return signs;
}

/// Problem and first step stand in one piece: the step begins with its number, else behind a question mark.
Result<std::size_t> beginOfSteps(std::string_view piece)
{
    for (const std::string_view mark : {"Step 1:", "step 1:"})
        if (const auto place = piece.find(mark); place != std::string_view::npos)
            return place;
    const auto question = piece.find('?');
    if (question == std::string_view::npos)
        return badRow("nothing in `input` says where the problem ends: no \"Step 1:\" and no question mark");
    return question + 1;
}

/// Math-Shepherd as it is published. + says that sampled continuations still reach the right answer.
Result<Example> readShepherd(const simdjson::dom::object& row)
{
    TRY(const auto input, textValue(row, "input"));
    TRY(const auto label, textValue(row, "label"));
    auto parts = taggedParts(input);
    if (parts.empty())
        return badRow("`input` has no step tag " + std::string(kStepTag));
    TRY(const auto signs, readSigns(input, label));
    TRY(const auto begin, beginOfSteps(parts.front()));
    StepwiseExample solution;
    solution.prompt = trimmed(std::string_view(parts.front()).substr(0, begin));
    parts.front() = trimmed(std::string_view(parts.front()).substr(begin));
    for (std::size_t i = 0; i < parts.size(); ++i)
        solution.steps.push_back({std::move(parts[i]), signs[i]});
    Example example;
    example.content = std::move(solution);
    example.metadata = otherColumns(row, {"input", "label"});
    return example;
}

} // namespace

const DatasetFormat& mathShepherdFormat()
{
    static const JsonFormat kFormat("math-shepherd", "Math-Shepherd (input with step tags, label with signs)",
                                    {"input", "label", "task"}, readShepherd);
    return kFormat;
}

} // namespace assay
