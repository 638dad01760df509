#pragma once

#include "core/eval/evaluated_set.h"
#include "core/eval/report.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace assay {

struct StepReportOptions
{
    double threshold = 0.5;              ///< wrong means probability < threshold
    std::int32_t bootstrapSamples = 200; ///< 0 = no intervals
    std::uint64_t seed = 0;              ///< of the resamples (stream "bootstrap")
    /// The evaluation loss as the objective gave it; its interval is that of the cross-entropy of the logits.
    std::optional<double> loss;
    double wrongWeight = 1.0; ///< the objective's factor on steps labelled wrong, for losses and skill
    /// The null ladder on the same split (BaselineSet::evaluate); appended to the metrics.
    std::vector<Metric> baselines;
    std::stop_token stop; ///< a stopped report has no intervals
};

/// Metrics and curves of the supervised step predictions (output 0). Metric ids: loss, accuracy, base_rate,
/// balanced_accuracy, auroc, auprc_negative, mcc, first_error_f1, first_error_accuracy_wrong,
/// first_error_accuracy_correct, tie_rate, predicted_positive_rate, true_positive_rate, true_negative_rate,
/// trivial_loss, skill, within_solution_auroc, best_threshold, best_balanced_accuracy, ece, brier,
/// score_variance, positives, negatives, threshold. Curve ids: histogram_correct, histogram_wrong,
/// position_correct, position_wrong (with _low and _high), position_base_rate, position_count. Ranking uses
/// the raw score, everything else the probability.
Report stepReport(const EvaluatedSet& set, const StepReportOptions& options = {});

/// Title on screen of a metric id ("AUROC"), the id itself when unknown.
std::string_view metricTitle(std::string_view id);

} // namespace assay
