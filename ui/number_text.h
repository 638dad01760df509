#pragma once

#include <QString>

#include <cstdint>
#include <optional>

namespace assay {

// Numbers as the screens write them: metrics with 3 decimals, probabilities with 2, minus U+2212, no-break
// space before units.

QString metricText(std::optional<double> value, int decimals = 3);
/// "[0.838, 0.863]"; empty without an interval.
QString intervalText(std::optional<double> low, std::optional<double> high);
QString countText(std::int64_t value);
/// "41 %"
QString percentText(double share, int decimals = 0);
/// "1 h 34 min", "2 min 5 s", "0.4 s"
QString durationText(double seconds);
/// "5.7 GiB"
QString bytesText(std::int64_t bytes);
/// "1.6e-5" or "0.25", whatever is shorter to read
QString rateText(double value);

} // namespace assay
