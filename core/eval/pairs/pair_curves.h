#pragma once

#include "core/eval/pairs/pair_view.h"
#include "core/eval/report.h"

#include <vector>

namespace assay {

/// margin_histogram: share of pairs per bin of chosen - rejected (x = bin centre, sums to 1). The bins are
/// equally wide, symmetric about 0 (a border) and reach to the 99th percentile of |margin|; what lies beyond
/// is in the outermost ones, a tie counts half on either side.
Curve marginHistogram(const PairView& view);

/// accuracy_by_length_gap with _low and _high (Wilson, 95 %): pairs sorted by tokens of chosen - rejected,
/// cut into parts of equal size (x = mean difference in tokens), and length_gap_count.
std::vector<Curve> lengthGapCurves(const PairView& view);

} // namespace assay
