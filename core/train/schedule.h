#pragma once

#include "core/config/experiment.h"

#include <cstdint>

namespace assay {

/// Factor on the peak learning rate for optimiser step `step`, counted from 0. Warm-up: step / warmupSteps,
/// so the first step of a warm-up has rate 0; then constant, or linear or half a cosine down to `finalShare`.
double scheduleFactor(const ScheduleConfig& schedule, std::int64_t step, std::int64_t plannedSteps);

} // namespace assay
