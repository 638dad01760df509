#pragma once

#include "core/diagnostics/label_checks.h"

namespace assay {

/// Whether the rows are preferences (the first one decides; a layout refuses what does not fit).
bool holdsPreferences(const Dataset& dataset);

/// The checks of `checkLabels` that are about pairs, with the table `pair_census`; prompts shared by both
/// sides are the caller's. Finding ids: identical-sides, equal-in-layout,
/// empty-answer, contradictory-pairs, duplicate-pairs,
/// length-bias, length-ruler, margin-on-some-rows, truncation-loss, too-few-pairs.
Report checkPairs(const LabelCheckInput& input);

} // namespace assay
