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

/// Mean label; for soft labels the mean of the fractions.
Measure baseRate(std::span<const double> labels);
/// Mean (p - y)^2; soft labels allowed. Undefined outside [0, 1].
Measure brier(std::span<const double> probabilities, std::span<const double> labels);
/// Mean cross-entropy with natural logarithm; soft labels allowed. An infinite value is undefined and says where.
Measure logLoss(std::span<const double> probabilities, std::span<const double> labels);
/// Log loss with probabilities clipped to [1e-7, 1 - 1e-7].
Measure logLossClipped(std::span<const double> probabilities, std::span<const double> labels);
/// Mean binary cross-entropy from logits, softplus(s) - y s: finite however far the logits go.
Measure logLossFromLogits(std::span<const double> logits, std::span<const double> labels);
/// Entropy of the prediction itself, natural logarithm, mean over items.
Measure meanEntropy(std::span<const double> probabilities);
/// H(p) = -p ln p - (1 - p) ln(1 - p) of the mean label: the loss of the best constant.
Measure trivialLoss(std::span<const double> labels);
/// Skill = 1 - loss / trivial loss: 0 is a constant, 1 is perfect.
Measure skill(const Measure& loss, const Measure& trivial);
/// Population variance.
Measure variance(std::span<const double> values);

enum class Binning { EqualWidth, EqualMass };

/// Expected calibration error: sum over bins of (n_b / n) |mean p - mean y| (Guo et al., 2017). Equal mass: stable sort
/// by score, parts whose sizes differ by at most one, larger ones first.
Measure calibrationError(std::span<const double> probabilities, std::span<const double> labels, int bins,
                         Binning binning);
/// Largest |mean p - mean y| over equal-width bins.
Measure maximumCalibrationError(std::span<const double> probabilities, std::span<const double> labels, int bins);

} // namespace assay
