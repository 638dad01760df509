#pragma once

#include "core/run/prepared_data.h"
#include "core/run/session.h"

#include <cstdint>
#include <stop_token>

namespace assay {

/// Evaluations of a run of that many steps: before the start, every n steps, and at the end.
std::int64_t plannedEvaluations(const EvaluationConfig& config, std::int64_t plannedSteps);

/// Fills in what follows from the measured seconds and bytes: evaluations, total time, largest micro-batch.
void extrapolate(StepProbe& probe, const EvaluationConfig& evaluation);

/// Session::measure on prepared rows.
Result<StepProbe> measureStep(const ExperimentConfig& config, const PreparedData& data,
                              const std::stop_token& stop);

} // namespace assay
