#pragma once

#include "core/data/dataset.h"
#include "core/text/layout.h"

#include <cstdint>
#include <span>

namespace assay {

/// Counts over the supervised labels of one side.
struct LabelCensus
{
    std::int64_t rows = 0;
    std::int64_t steps = 0;      ///< steps of the rows, supervised or not
    std::int64_t supervised = 0; ///< supervised positions
    std::int64_t correct = 0, wrong = 0;
    std::int64_t ignored = 0; ///< positions (tokenised rows) or steps without supervision
    double labelSum = 0.0;

    /// Must be at most 1.
    double supervisedPerStep() const { return steps > 0 ? double(supervised) / double(steps) : 0.0; }
    double shareTrue() const { return supervised > 0 ? double(correct) / double(supervised) : 0.0; }
};

/// Steps of a pre-tokenised row: the column `steps` if the file has one, else the runs of neighbouring
/// supervised positions, each as many steps as it holds separators, at least one. Separators without a label,
/// such as those of the prompt, do not count: they would hide a step with two labels.
std::int64_t tokenisedSteps(const Example& example, std::span<const std::int32_t> separatorIds);

/// Counts a data set. Laid-out rows, where given, are counted too: a layout that reads a step twice must be
/// seen.
LabelCensus takeCensus(const Dataset& dataset, std::span<const LaidOut> rows,
                       std::span<const std::int32_t> separatorIds);

} // namespace assay
