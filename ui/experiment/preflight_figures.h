#pragma once

#include "core/eval/report.h"
#include "ui/experiment/census_view.h"
#include "ui/experiment/preflight/row_length_chart.h"

#include <optional>
#include <vector>

namespace assay {

/// The numbers of a label-check report that are drawn beside its findings.
struct PreflightFigures
{
    std::optional<Census> census;
    std::vector<double> rates, counts; ///< by step position
    double baseRate = 0.0;
    std::vector<double> lengthStarts, lengthRows; ///< rows by their tokens before the cut
    std::optional<LengthLimit> limit;
    std::vector<Table> others; ///< tables that have no picture of their own; shown as they are
};

/// Reads the tables `label_census`, `base_rate_by_position` and `truncation` and the curves
/// `base_rate_by_position` and `tokens_per_row`; whatever else the report holds stays a table.
PreflightFigures preflightFigures(const Report& report);

} // namespace assay
