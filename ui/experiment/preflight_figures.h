#pragma once

#include "core/eval/report.h"
#include "ui/experiment/census_view.h"

#include <optional>
#include <vector>

namespace assay {

/// The numbers of a label-check report that are drawn beside its findings.
struct PreflightFigures
{
    std::optional<Census> census;
    std::vector<double> rates, counts; ///< by step position
    double baseRate = 0.0;
};

/// Reads the tables `label_census` and `base_rate_by_position` and the curve of the same name.
PreflightFigures preflightFigures(const Report& report);

} // namespace assay
