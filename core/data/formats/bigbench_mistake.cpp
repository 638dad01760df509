#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

namespace assay {

namespace {

/// BIG-Bench Mistake: `mistake_index` is the 0-based first wrong step, null = none. Nobody judged the steps
/// behind it: they are unlabelled, not wrong.
Result<Example> readMistake(const simdjson::dom::object& row)
{
    StepwiseExample solution;
    TRY(solution.prompt, textValue(row, "input"));
    TRY(auto texts, textsValue(row, "steps"));
    TRY(const auto value, requiredValue(row, "mistake_index"));
    std::int64_t mistake = -1;
    if (!value.is_null()) {
        TRY(mistake, wholeNumber(value, "mistake_index", 0, static_cast<std::int64_t>(texts.size()) - 1));
    }
    for (auto& text : texts) {
        const auto step = static_cast<std::int64_t>(solution.steps.size());
        auto label = Label::of(step == mistake ? 0.0F : 1.0F);
        if (mistake >= 0 && step > mistake)
            label = Label::none();
        solution.steps.push_back({std::move(text), label});
    }
    solution.declaredFirstError = static_cast<int>(mistake);
    Example example;
    example.content = std::move(solution);
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
