#pragma once

#include "core/eval/reward_scale.h"
#include "core/run/exports/export_model.h"
#include "core/run/exports/export_source.h"

#include <string>

namespace assay {

/// What travels with the export, and where each figure comes from.
struct Calibration
{
    RewardScale scale;
    std::string temperatureFrom, centreFrom, thresholdFrom; ///< sentences; empty = nothing was asked for
};

/// Fits on the evaluation rows of the run that the source belongs to, with the weights as they are now.
/// Errors: Usage (a word is neither number nor fit, no setting of this task), NotFound and BadData (the rows
/// are gone, or nothing fits).
Result<Calibration> calibrate(const StorePlace& place, const ExportSource& source,
                              const CalibrationRequest& request);

} // namespace assay
