#pragma once

#include "core/data/dataset.h"
#include "core/diagnostics/label_census.h"
#include "core/eval/report.h"
#include "core/text/layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace assay {

/// What the label checks look at, before step 0.
struct LabelCheckInput
{
    // One of them may be absent.
    const Dataset* train = nullptr;
    const Dataset* evaluation = nullptr;
    /// Laid-out rows of the two, same order and length; empty = what the layout cuts is not checked.
    std::span<const LaidOut> trainRows, evaluationRows;
    std::string stepSeparator = "\n";
    /// Ids a step ends with in pre-tokenised rows (the last id of the separator); empty = not known.
    std::vector<std::int32_t> separatorIds;
    /// Rows that were refused before the sides were split; those of the two data sets are looked at anyway.
    std::span<const RowProblem> refusedRows;
    bool skipBadRows = false; ///< `data.bad_rows = skip`: refused rows are a warning, not red
};

/// Findings with the figures the verdict needs.
struct LabelChecks
{
    Report report; ///< findings (Red ones block the start), tables label_census and base_rate_by_position,
                   ///< curves
    LabelCensus train, evaluation;
    double supervisedPerStep = 1.0; ///< the larger of both sides
    bool ignoreValuesAsLabels = false;
    double leakedShare = 0.0; ///< share of evaluation prompts that stand in training
};

/// Label checks over examples, refused rows and laid-out rows. Finding ids: ignore-values-as-labels,
/// more-than-one-label-per-step, one-class-only, first-error-mismatch, label-count-mismatch, labels-are-text,
/// label-out-of-range, empty-step, separator-inside-step, mixed-conventions, predictable-from-position,
/// predictable-from-length, prompt-leak, near-duplicate-prompt, truncation-loss, nothing-supervised,
/// too-few-negatives, supervised-off-separator, layout-refused, rows-refused, base-rate. Of preferences:
/// those of checkPairs, the two about prompts, layout-refused and rows-refused.
LabelChecks checkLabels(const LabelCheckInput& input, const std::stop_token& stop = {});

} // namespace assay
