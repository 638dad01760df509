#include "ui/plots/chart_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {

double ChartLine::valueAt(double at) const
{
    const auto after = std::upper_bound(x.begin(), x.end(), at);
    if (after == x.begin())
        return std::numeric_limits<double>::quiet_NaN();
    return y[static_cast<std::size_t>(after - x.begin()) - 1];
}

std::pair<double, double> valueRange(const std::vector<ChartLine>& lines,
                                     const std::vector<ChartBaseline>& baselines, bool rightAxis,
                                     double fromX, double toX, std::optional<double> lowerLimit,
                                     std::optional<double> upperLimit)
{
    double lower = std::numeric_limits<double>::infinity(), upper = -lower;
    const auto take = [&](double value) {
        if (std::isfinite(value)) {
            lower = std::min(lower, value);
            upper = std::max(upper, value);
        }
    };
    for (const auto& line : lines) {
        if (line.rightAxis != rightAxis)
            continue;
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            if (line.x[i] < fromX || line.x[i] > toX)
                continue;
            take(line.y[i]);
            if (i < line.low.size() && i < line.high.size()) {
                take(line.low[i]);
                take(line.high[i]);
            }
        }
    }
    for (const auto& baseline : baselines)
        take(baseline.value);
    for (const auto& limit : {lowerLimit, upperLimit})
        if (limit)
            take(*limit);
    if (lower > upper)
        return {0.0, 1.0};
    double pad = (upper - lower) * 0.06;
    if (pad <= 0.0)
        pad = upper == 0.0 ? 1.0 : std::abs(upper) * 0.05;
    // A limit is where the meaning ends: no empty strip below it.
    const bool atLimit = lowerLimit && lower >= *lowerLimit;
    return {atLimit ? lower : lower - pad, upper + pad};
}

} // namespace assay
