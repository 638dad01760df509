#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

namespace assay {

namespace {

/// Labels of the steps; null is a step without label, and a row without the column is one to be scored.
Status readLabels(const simdjson::dom::object& row, std::vector<Step>& steps)
{
    simdjson::dom::element column;
    if (row.at_key("labels").get(column) != simdjson::SUCCESS)
        return {};
    TRY(const auto labels, listValue(row, "labels"));
    if (labels.size() != steps.size())
        return Error{ErrorCode::BadData,
                     std::to_string(steps.size()) + " steps and " + std::to_string(labels.size()) + " labels",
                     "", ""};
    std::size_t step = 0;
    for (const auto value : labels) {
        if (!value.is_null()) {
            TRY(steps[step].label, labelValue(value, "labels[" + std::to_string(step) + "]"));
        }
        ++step;
    }
    return {};
}

/// `first_error`, if the file declares it: 0-based, -1 or null = none wrong.
Result<std::optional<int>> readFirstError(const simdjson::dom::object& row, std::size_t steps)
{
    simdjson::dom::element column;
    if (row.at_key("first_error").get(column) != simdjson::SUCCESS)
        return std::optional<int>();
    if (column.is_null())
        return std::optional(-1);
    TRY(const auto index, wholeNumber(column, "first_error", -1, static_cast<std::int64_t>(steps) - 1));
    return std::optional(static_cast<int>(index));
}

Result<Example> readStepwise(const simdjson::dom::object& row)
{
    StepwiseExample solution;
    TRY(solution.prompt, textValue(row, "prompt"));
    TRY(auto texts, textsValue(row, "completions"));
    for (auto& text : texts)
        solution.steps.push_back({std::move(text), Label::none()});
    TRY_STATUS(readLabels(row, solution.steps));
    TRY(solution.declaredFirstError, readFirstError(row, solution.steps.size()));
    Example example;
    example.content = std::move(solution);
    example.metadata = otherColumns(row, {"prompt", "completions", "labels", "first_error"});
    return example;
}

/// What is wrong with the labels of a row that was refused, so that faults can be counted by kind.
RowProblem labelFault(const simdjson::dom::object& row)
{
    RowProblem problem;
    simdjson::dom::array steps, labels;
    if (row.at_key("completions").get(steps) != simdjson::SUCCESS ||
        row.at_key("labels").get(labels) != simdjson::SUCCESS)
        return problem;
    if (steps.size() != labels.size()) {
        problem.kind = "label-count-mismatch";
        problem.steps = static_cast<std::int32_t>(steps.size());
        problem.labels = static_cast<std::int32_t>(labels.size());
        return problem;
    }
    std::int32_t step = 0;
    for (const auto label : labels) {
        std::string_view text;
        double number = 0.0;
        if (label.get(text) == simdjson::SUCCESS) {
            problem.kind = "labels-are-text";
            problem.values.emplace_back(text);
        } else if (problem.kind.empty() && label.get(number) == simdjson::SUCCESS &&
                   !(number >= 0.0 && number <= 1.0)) {
            problem.kind = "label-out-of-range";
            problem.step = step;
            problem.values.push_back(simdjson::minify(label));
        }
        ++step;
    }
    return problem;
}

} // namespace

const DatasetFormat& stepwiseFormat()
{
    static const JsonFormat kFormat("stepwise", "Steps with labels (prompt, completions, labels)",
                                    {"prompt", "completions"}, readStepwise, labelFault);
    return kFormat;
}

} // namespace assay
