#pragma once

#include "core/eval/measure.h"

#include <cstdint>
#include <span>
#include <string>

namespace assay {

/// What a score exactly at the threshold means.
enum class ThresholdRule {
    BelowIsWrong,  ///< wrong when score < threshold; equality counts as correct (screens and reports)
    AboveIsCorrect ///< correct when score > threshold; equality counts as wrong (the reference step metrics)
};

/// Whether a score is predicted correct.
bool predictedCorrect(double score, double threshold, ThresholdRule rule);

/// Counts at one threshold; "positive" is a correct step.
struct Confusion
{
    std::int64_t truePositive = 0, trueNegative = 0, falsePositive = 0, falseNegative = 0;

    std::int64_t count() const { return truePositive + trueNegative + falsePositive + falseNegative; }
    std::int64_t positives() const { return truePositive + falseNegative; }
    std::int64_t negatives() const { return trueNegative + falsePositive; }
    Confusion& operator+=(const Confusion& other);

    Measure accuracy() const;
    Measure predictedPositiveRate() const;
    Measure truePositiveRate() const;
    Measure trueNegativeRate() const;
    /// (TPR + TNR) / 2; undefined with one class only.
    Measure balancedAccuracy() const;
    /// Matthews correlation; undefined, not zero, with one class among labels or predictions.
    Measure mcc() const;
    Measure precision(bool ofCorrect) const;
    /// 2 TP / (2 TP + FP + FN) of the class; undefined when it is neither among labels nor predictions.
    Measure f1(bool ofCorrect) const;
};

/// Counts `scores` against `labels` (at least 0.5 is correct). Scores must be finite.
Confusion confusion(std::span<const double> scores, std::span<const double> labels, double threshold,
                    ThresholdRule rule);

/// Empty when all scores are finite, else "non-finite score at index i".
std::string nonFiniteReason(std::span<const double> scores);

/// All step metrics of one set of scores at one threshold. Scores outside [0, 1] have no calibration; a score
/// that is not finite leaves everything undefined: nothing is computed on the remaining steps silently.
struct StepMetrics
{
    Confusion confusion; ///< empty when a score is not finite
    Measure baseRate, accuracy, predictedPositiveRate, truePositiveRate, trueNegativeRate, balancedAccuracy,
        mcc;
    Measure auroc, tieRate, averagePrecisionWrong, averagePrecisionCorrect, shareWrong;
    Measure brier, logLoss, logLossClipped, meanEntropy, variance, trivialLoss;
};
StepMetrics stepMetrics(std::span<const double> scores, std::span<const double> labels, double threshold,
                        ThresholdRule rule);

} // namespace assay
