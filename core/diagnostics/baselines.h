#pragma once

#include "core/diagnostics/labelled_steps.h"
#include "core/diagnostics/logistic.h"
#include "core/eval/report.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay {

enum class Baseline { AlwaysTrue, BaseRate, Position, Length, PositionLength, Bag };

/// Stable word of a baseline, used in metric ids: always_true, base_rate, position, length, position_length,
/// bag.
std::string_view baselineId(Baseline baseline);
/// "position and length": for screens and sentences.
std::string_view baselineName(Baseline baseline);

/// What the ladder reaches on an evaluation split.
struct BaselineEvaluation
{
    /// baseline_accuracy_ID, baseline_balanced_accuracy_ID, baseline_auroc_ID for every baseline.
    std::vector<Metric> metrics;
    std::string bestName; ///< highest AUROC of those that look at the step; empty = none defined
    std::optional<double> bestAuroc;
    std::string bestAccuracyName;
    std::optional<double> bestAccuracy; ///< highest accuracy at 0.5
};

/// The null ladder: predictors that do not read. Learned on the training split, deterministic.
class BaselineSet
{
public:
    /// Uses supervised steps only. A stopped fit leaves the remaining baselines at the base rate.
    static BaselineSet fit(std::span<const LabelledStep> train, const std::stop_token& stop = {});

    /// Probability of "correct" for every step. Position: mean training label at that step, the training base
    /// rate where an index was never seen. Length, position and length, bag: logistic regressions.
    std::vector<double> probabilities(Baseline baseline, std::span<const LabelledStep> steps) const;

    /// Accuracy at 0.5 and AUROC; balanced accuracy at the threshold that was best on the training split.
    BaselineEvaluation evaluate(std::span<const LabelledStep> evaluation) const;

private:
    double positionRate(std::int32_t position) const;
    std::vector<double> lengthFeatures(const LabelledStep& step, bool withPosition) const;

    double m_baseRate = 0.5;
    std::vector<std::optional<double>> m_positionRates;
    DenseLogistic m_length, m_positionLength;
    std::unordered_map<std::int32_t, std::int32_t> m_bagColumn; ///< token id -> column
    SparseLogistic m_bag;
    std::map<Baseline, double> m_thresholds; ///< best balanced accuracy on the training split
};

} // namespace assay
