#pragma once

#include "core/data/dataset.h"
#include "core/diagnostics/label_census.h"
#include "core/eval/report.h"
#include "core/text/layout.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// "0, 3, 7 and 12 more"; rows are counted from 0.
std::string listRows(std::span<const std::int64_t> rows);

// Each rule gives its finding when it applies. `side` is "training" or "evaluation".
std::optional<Finding> supervisedPerStepRule(const LabelCensus& census, std::string_view side);
std::optional<Finding> nothingSupervisedRule(const LabelCensus& census, std::string_view side);
std::optional<Finding> oneClassRule(const Dataset& dataset, const LabelCensus& census);
std::optional<Finding> offSeparatorRule(const Dataset& dataset, std::span<const std::int32_t> separatorIds,
                                        std::string_view side);
std::optional<Finding> outOfRangeRule(const Dataset& dataset, std::string_view side);
std::optional<Finding> emptyStepRule(const Dataset& dataset, std::string_view side);
std::optional<Finding> separatorInsideRule(const Dataset& dataset, const std::string& separator,
                                           std::string_view side);
std::optional<Finding> firstErrorRule(const Dataset& dataset, std::string_view side);
std::optional<Finding> mixedConventionsRule(const Dataset& dataset);
std::optional<Finding> positionRule(const Dataset& dataset);
std::optional<Finding> lengthRule(const Dataset& dataset);
std::optional<Finding> truncationRule(const Dataset& dataset, const LabelCensus& census,
                                      std::span<const LaidOut> rows, std::string_view side);
std::optional<Finding> tooFewNegativesRule(const LabelCensus& evaluation);
std::optional<Finding> baseRateNote(const LabelCensus& train);

/// Refused rows by kind: label-count-mismatch, labels-are-text, label-out-of-range, empty-step,
/// layout-refused, rows-refused.
std::vector<Finding> problemFindings(std::span<const RowProblem> problems, bool skipBadRows,
                                     std::string_view side);

} // namespace assay
