#pragma once

#include "core/eval/measure.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// One solution for first-error localisation.
struct ScoredSolution
{
    std::int32_t firstError = -1; ///< 0-based first wrong step, -1 = none wrong
    std::vector<double> scores;   ///< one per step
};

/// ProcessBench's measure: exact localisation of the first wrong step (predicted: first score < threshold).
struct FirstErrorMetrics
{
    std::int64_t erroneous = 0, correct = 0;
    Measure accuracyWrong;   ///< share of erroneous solutions with the exact step
    Measure accuracyCorrect; ///< share of correct solutions in which nothing is predicted wrong
    Measure f1;              ///< harmonic mean of both, 0 when both are 0
    Measure exactMatch;
    Measure meanSignedDistance; ///< predicted - true, over erroneous solutions with a predicted error
    Measure withinOne;          ///< share of erroneous solutions predicted at most one step off
};

/// First step with score < threshold, -1 = none (also for a solution without steps).
std::int32_t predictedFirstError(std::span<const double> scores, double threshold);
/// Everything is undefined, naming the solution, when a score is not finite.
FirstErrorMetrics firstErrorMetrics(std::span<const ScoredSolution> solutions, double threshold);
/// Harmonic mean with its reasons: from hits and totals.
Measure firstErrorF1(double hitsWrong, double wrong, double hitsCorrect, double correct);

} // namespace assay
