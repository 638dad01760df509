#pragma once

#include "core/data/example.h"

#include <string>
#include <vector>

namespace assay {

/// A solution of which only the first wrong step is known (0-based, -1 = none). Nobody judged the steps
/// behind it: they are unlabelled, not wrong.
StepwiseExample solutionWithFirstError(std::string prompt, std::vector<std::string> steps,
                                       std::int64_t firstError);

} // namespace assay
