#pragma once

#include "core/eval/report.h"
#include "core/eval/step_view.h"

#include <vector>

namespace assay {

/// Share of steps of each class per probability bin: histogram_correct, histogram_wrong (25 bins on [0, 1], x
/// = bin centre, each class sums to 1).
std::vector<Curve> histogramCurves(const StepView& view);

/// By step number (x from 1): position_correct, position_wrong (mean probability of the steps of that class,
/// with _low and _high of its 95 % normal interval where there are two steps or more), position_base_rate,
/// position_count.
std::vector<Curve> positionCurves(const StepView& view);

} // namespace assay
