#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay {

double scheduleFactor(const ScheduleConfig& schedule, std::int64_t step, std::int64_t plannedSteps)
{
    if (step < schedule.warmupSteps)
        return static_cast<double>(step) /
               static_cast<double>(std::max<std::int64_t>(1, schedule.warmupSteps));
    if (schedule.kind == "constant")
        return 1.0;
    const auto falling = static_cast<double>(std::max<std::int64_t>(1, plannedSteps - schedule.warmupSteps));
    const double done = std::clamp(static_cast<double>(step - schedule.warmupSteps) / falling, 0.0, 1.0);
    const double left = schedule.kind == "cosine"
                            ? 0.5 * (1.0 + std::cos(std::numbers::pi * done))
                            : std::max(0.0, static_cast<double>(plannedSteps - step) / falling);
    return schedule.finalShare + (1.0 - schedule.finalShare) * left;
}

} // namespace assay
