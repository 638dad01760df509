#pragma once

#include "core/eval/measure.h"

#include <span>

namespace assay {

/// Mean label; for soft labels the mean of the fractions.
Measure baseRate(std::span<const double> labels);
/// Mean (p - y)^2; soft labels allowed. Undefined outside [0, 1].
Measure brier(std::span<const double> probabilities, std::span<const double> labels);
/// Mean cross-entropy with natural logarithm; soft labels allowed. An infinite value is undefined and says
/// where.
Measure logLoss(std::span<const double> probabilities, std::span<const double> labels);
/// Log loss with probabilities clipped to [1e-7, 1 - 1e-7].
Measure logLossClipped(std::span<const double> probabilities, std::span<const double> labels);
/// Mean binary cross-entropy from logits, y softplus(-s) + w (1 - y) softplus(s): finite however far the
/// logits go. `wrongWeight` w is the objective's factor on steps labelled wrong.
Measure logLossFromLogits(std::span<const double> logits, std::span<const double> labels,
                          double wrongWeight = 1.0);
/// Entropy of the prediction itself, natural logarithm, mean over items.
Measure meanEntropy(std::span<const double> probabilities);
/// The loss of the best constant. With a = mean label and b = w (1 - a) that constant is p = a / (a + b) and
/// its loss -a ln p - b ln(1 - p); with the weight w = 1 it is the entropy of the mean label.
Measure trivialLoss(std::span<const double> labels, double wrongWeight = 1.0);
/// Skill = 1 - loss / trivial loss: 0 is a constant, 1 is perfect.
Measure skill(const Measure& loss, const Measure& trivial);
/// Population variance.
Measure variance(std::span<const double> values);

enum class Binning { EqualWidth, EqualMass };

/// Expected calibration error: sum over bins of (n_b / n) |mean p - mean y| (Guo et al., 2017). Equal mass:
/// stable sort by score, parts whose sizes differ by at most one, larger ones first.
Measure calibrationError(std::span<const double> probabilities, std::span<const double> labels, int bins,
                         Binning binning);
/// Largest |mean p - mean y| over equal-width bins.
Measure maximumCalibrationError(std::span<const double> probabilities, std::span<const double> labels,
                                int bins);

} // namespace assay
