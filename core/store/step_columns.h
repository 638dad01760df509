#pragma once

#include "core/store/records.h"

#include <span>
#include <string_view>

namespace assay {

/// One number of a step record: how it is called in the store, and how to get at it.
struct StepColumn
{
    std::string_view name;
    std::string_view sql; ///< over step_rows
    double (*get)(const StepRecord&);
    void (*set)(StepRecord&, double);
};

/// All columns, `step` first. `tokens_per_second` is computed and has no setter.
std::span<const StepColumn> stepColumns();
const StepColumn* findStepColumn(std::string_view name);

} // namespace assay
