#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// Scores with their targets as plain values; see `Targets` for what they mean.
struct ObjectiveCase
{
    std::int64_t outputs = 1;
    std::vector<double> scores; ///< [scores, outputs]
    std::vector<double> value;  ///< [scores], probability of "correct"
    std::vector<double> mask;   ///< [scores], 1 = supervised; empty = all are
    std::vector<double> weight; ///< [scores]; empty = 1
    // Ranked candidates: scores [offset i, offset i+1) are one group, the smaller rank is the better one.
    std::vector<double> groupOffsets, rank;
    std::vector<double> margin; ///< [groups]; empty = 0
    double wrongWeight = 1.0;
    double centring = 0.0;
};

/// What an objective makes of a case, in float64.
struct ObjectiveAnswer
{
    double sum = 0.0;
    double count = 0.0;           ///< in the objective's own unit
    std::vector<double> gradient; ///< of the sum, [scores, outputs]
};

/// Errors: Usage for an unknown name, BadData for sizes or values that do not fit.
Result<ObjectiveAnswer> probeObjective(std::string_view name, const ObjectiveCase& input);
/// Errors: Usage for a name that no objective has.
Status requireObjective(std::string_view name);

} // namespace assay
