#pragma once

#include "core/eval/measure.h"

#include <cstdint>
#include <span>

namespace assay {

/// Metrics of preference pairs as sums over all pairs, so that they are exact for any batching. Undefined
/// without pairs, or when a reward is not finite (naming the pair).
struct PairMetrics
{
    std::int64_t pairs = 0, ties = 0;
    Measure accuracy;             ///< a tie counts one half
    Measure accuracyStrict;       ///< a tie counts as wrong
    Measure accuracyTiesExcluded; ///< undefined when all pairs are ties
    Measure tieRate;
    Measure meanMargin, medianMargin; ///< of chosen - rejected
    Measure rootMeanSquareMargin;     ///< near 0 = the rewards do not tell the sides apart
    Measure logLoss;                  ///< mean of -log sigmoid(chosen - rejected); a constant reaches ln 2
    Measure rewardMinimum, rewardMean, rewardMaximum; ///< over both sides
    Measure rewardDeviation;                          ///< population standard deviation over both sides
    /// P(any chosen reward > any rejected one), ties one half: unlike accuracy it also
    /// compares answers to different prompts.
    Measure pooledAuroc;
};

/// `chosen` and `rejected` have the same length.
PairMetrics pairMetrics(std::span<const double> chosen, std::span<const double> rejected);

/// Wins of the first side: 1, a tie one half, else 0.
double pairWin(double chosen, double rejected);
/// -log sigmoid(gap), finite for any finite gap.
double pairLogLoss(double gap);
/// Accuracy of every prompt group first, then their mean: every prompt weighs the same.
Measure groupMeanAccuracy(std::span<const double> chosen, std::span<const double> rejected,
                          std::span<const std::int32_t> group);

/// Rank correlation with mid-ranks (Spearman, 1904); undefined when one side is constant.
Measure spearman(std::span<const double> x, std::span<const double> y);
/// Pearson's correlation; undefined when one side is constant.
Measure pearson(std::span<const double> x, std::span<const double> y);

} // namespace assay
