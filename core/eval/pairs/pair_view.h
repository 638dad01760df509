#pragma once

#include "core/eval/evaluated_set.h"

#include <cstdint>
#include <vector>

namespace assay {

/// The pairs of a set as parallel columns.
struct PairView
{
    std::vector<double> chosen, rejected; ///< rewards
    std::vector<std::int32_t> chosenTokens, rejectedTokens;
    std::vector<std::int32_t> example, group; ///< prompt group: resamples draw whole groups
    std::int32_t groups = 0;

    std::size_t size() const { return chosen.size(); }
};

/// Every two supervised candidates of an example, the better (smaller `readOut`) first. Predictions of steps
/// are passed over.
PairView pairView(const EvaluatedSet& set);

} // namespace assay
