#pragma once

#include "core/eval/evaluated_set.h"
#include "core/eval/pairs/pair_view.h"
#include "core/eval/report.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace assay {

struct PairReportOptions
{
    std::int32_t bootstrapSamples = 200; ///< 0 = intervals of accuracy are Wilson's
    std::uint64_t seed = 0;              ///< of the resamples (stream "bootstrap")
    /// The objective's own evaluation loss, where it is not the log loss (margins, centring), and what equal
    /// rewards reach with it.
    std::optional<double> loss, trivialLoss;
    std::vector<double> margins; ///< of every example, for the interval of the loss; empty = none
    double centring = 0.0;       ///< factor on the squared sum of a pair's rewards, for the same
    std::stop_token stop;        ///< a stopped report has no resampled intervals
};

/// Metrics and curves of preference pairs. Metric ids: loss, skill, pair_accuracy (a tie counts one half;
/// interval by resampling prompts), pair_accuracy_wilson, group_accuracy, tie_rate, margin_mean,
/// margin_median, margin_spread, log_loss, pooled_auroc, ece, accuracy_chosen_longer,
/// accuracy_chosen_shorter, length_correlation, gain_over_length, reward_minimum, reward_mean,
/// reward_maximum, reward_deviation, trivial_loss, pairs, and the baselines of `lengthBaselines`. Curve ids:
/// margin_histogram, accuracy_by_length_gap (with _low and _high), length_gap_count.
Report pairReport(const EvaluatedSet& set, const PairReportOptions& options = {});

/// baseline_accuracy_longest and baseline_accuracy_shortest: what a ruler reaches (equal lengths count one
/// half), with Wilson's interval.
std::vector<Metric> lengthBaselines(const PairView& view);

} // namespace assay
