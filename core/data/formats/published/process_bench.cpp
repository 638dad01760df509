#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/first_error.h"

namespace assay {

namespace {

/// ProcessBench: `label` is the 0-based first wrong step, -1 = none. Whether the final answer is right is
/// another question, and stays a column.
Result<Example> readProcessBench(const simdjson::dom::object& row)
{
    TRY(auto prompt, textValue(row, "problem"));
    TRY(auto steps, textsValue(row, "steps"));
    TRY(const auto value, requiredValue(row, "label"));
    TRY(const auto label, wholeNumber(value, "label", -1, std::ssize(steps) - 1));
    Example example;
    example.content = solutionWithFirstError(std::move(prompt), std::move(steps), label);
    example.metadata = otherColumns(row, {"problem", "steps", "label"});
    return example;
}

} // namespace

const DatasetFormat& processBenchFormat()
{
    static const JsonFormat kFormat("processbench", "ProcessBench (problem, steps, label)",
                                    {"problem", "steps", "label"}, readProcessBench);
    return kFormat;
}

} // namespace assay
