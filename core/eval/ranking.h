#pragma once

#include "core/eval/measure.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Labels are in [0, 1]; everywhere in ranking and thresholding a label of at least 0.5 counts as correct.
inline bool isCorrect(double label)
{
    return label >= 0.5;
}

/// Scores and labels in ascending order of score, sorted once so that resamples only re-weight them.
class RankedLabels
{
public:
    /// Scores must be finite; `labels` has the same length.
    RankedLabels(std::span<const double> scores, std::span<const double> labels);

    /// AUROC = P(score of a correct step > score of a wrong one), ties count one half (mid-ranks,
    /// Mann-Whitney U).
    Measure auroc() const;
    /// The same with every item counted `weights[item]` times (a bootstrap resample).
    Measure auroc(std::span<const std::int32_t> weights) const;
    /// Share of (correct, wrong) pairs with equal scores: what AUROC counts as one half.
    Measure tieRate() const;
    /// Average precision for finding wrong steps by low score; items of equal score enter together:
    /// sum over tie groups of (delta recall x precision). Chance level is the share of wrong steps.
    Measure averagePrecisionWrong() const;
    Measure averagePrecisionWrong(std::span<const std::int32_t> weights) const;
    /// Average precision for finding correct steps by high score.
    Measure averagePrecisionCorrect() const;

    /// The threshold (wrong means score < threshold) with the largest balanced accuracy, halfway between two
    /// neighbouring scores; of equally good ones the one nearest to 0.5. No value with one class only.
    struct BestThreshold
    {
        double threshold = 0.5;
        double balancedAccuracy = 0.5;
    };
    std::optional<BestThreshold> bestThreshold() const;

private:
    struct Counts
    {
        double correct = 0.0, wrong = 0.0;
    };
    template <typename Weight>
    std::vector<Counts> tieGroups(Weight weight) const;

    std::vector<std::int32_t> m_order;     ///< item indices by ascending score
    std::vector<std::int32_t> m_groupEnds; ///< end of every run of equal scores, in m_order
    std::vector<double> m_groupScores;
    std::vector<std::uint8_t> m_correct; ///< [m_order]
};

/// AUROC of plain vectors; says why when a score is not finite or one class is missing.
Measure auroc(std::span<const double> scores, std::span<const double> labels);

} // namespace assay
