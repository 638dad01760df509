#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

#include <algorithm>
#include <limits>

namespace assay {

namespace {

constexpr std::string_view kErrors = "error_steps", kOlderErrors = "hallucination_steps";

bool has(const simdjson::dom::object& row, std::string_view key)
{
    simdjson::dom::element value;
    return row.at_key(key).get(value) == simdjson::SUCCESS;
}

/// PRMBench: every step is judged; the wrong ones are a list of 1-based numbers. A number outside the steps
/// (there are some in the published files) is left out and kept as a column.
Result<Example> readPrmBench(const simdjson::dom::object& row)
{
    StepwiseExample solution;
    TRY(solution.prompt, textValue(row, has(row, "modified_question") ? "modified_question" : "question"));
    TRY(auto steps, textsValue(row, "modified_process"));
    for (auto& step : steps)
        solution.steps.push_back({std::move(step), Label::of(1.0F)});
    const auto key = has(row, kErrors) ? kErrors : kOlderErrors;
    TRY(const auto errors, listValue(row, key));
    std::string outside;
    int first = -1;
    for (const auto value : errors) {
        TRY(const auto number, wholeNumber(value, key, std::numeric_limits<std::int32_t>::min(),
                                           std::numeric_limits<std::int32_t>::max()));
        if (number < 1 || number > std::ssize(solution.steps)) {
            outside += (outside.empty() ? "" : ", ") + std::to_string(number);
            continue;
        }
        const auto index = static_cast<int>(number) - 1;
        solution.steps[static_cast<std::size_t>(index)].label = Label::of(0.0F);
        first = first < 0 ? index : std::min(first, index);
    }
    solution.declaredFirstError = first;
    Example example;
    example.content = std::move(solution);
    example.metadata = otherColumns(row, {"modified_question", "modified_process", kErrors, kOlderErrors});
    if (!outside.empty())
        example.metadata.emplace_back(std::string(key) + " outside the steps", outside);
    return example;
}

} // namespace

const DatasetFormat& prmBenchFormat()
{
    static const JsonFormat kFormat("prmbench", "PRMBench (modified_process, error_steps)", readPrmBench,
                                    {{"modified_process", kErrors}, {"modified_process", kOlderErrors}});
    return kFormat;
}

} // namespace assay
