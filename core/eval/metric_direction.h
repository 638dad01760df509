#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// Which values of a metric are the better ones.
enum class BetterValue { Larger, Smaller };

/// A metric by which evaluations can be compared.
struct ComparableMetric
{
    std::string_view id;
    BetterValue better = BetterValue::Larger;
};

/// Every such metric; figures that are neither good nor bad (base rate, threshold, counts) are not among
/// them.
std::span<const ComparableMetric> comparableMetrics();
std::optional<BetterValue> betterValue(std::string_view metricId);

/// Whether `value` is better than `reference` by more than `margin`; a NaN is never better.
bool isBetter(BetterValue direction, double value, double reference, double margin = 0.0);

} // namespace assay
