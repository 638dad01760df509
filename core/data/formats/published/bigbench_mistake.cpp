#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/first_error.h"

namespace assay {

namespace {

/// BIG-Bench Mistake: `mistake_index` is the 0-based first wrong step, null = none.
Result<Example> readMistake(const simdjson::dom::object& row)
{
    TRY(auto prompt, textValue(row, "input"));
    TRY(auto steps, textsValue(row, "steps"));
    TRY(const auto value, requiredValue(row, "mistake_index"));
    std::int64_t mistake = -1;
    if (!value.is_null()) {
        TRY(mistake, wholeNumber(value, "mistake_index", 0, std::ssize(steps) - 1));
    }
    Example example;
    example.content = solutionWithFirstError(std::move(prompt), std::move(steps), mistake);
    example.metadata = otherColumns(row, {"input", "steps", "mistake_index"});
    return example;
}

} // namespace

const DatasetFormat& bigbenchMistakeFormat()
{
    static const JsonFormat kFormat("bigbench-mistake", "BIG-Bench Mistake (input, steps, mistake_index)",
                                    {"input", "steps", "mistake_index"}, readMistake);
    return kFormat;
}

} // namespace assay
