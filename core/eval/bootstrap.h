#pragma once

#include "core/eval/measure.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace assay {

/// A percentile interval over resamples.
struct Interval
{
    double low = 0.0, high = 0.0;
    std::int64_t undefinedResamples = 0; ///< left out, for instance because one class was missing
};

/// Percentile by linear interpolation at position (n - 1) q / 100 of the sorted values; `values` must not be
/// empty.
double percentile(std::span<const double> sortedValues, double q);
/// Interval of the defined statistics; none when fewer than two resamples are defined.
std::optional<Interval> percentileInterval(std::span<const Measure> statistics, double lowPercent = 2.5,
                                           double highPercent = 97.5);

/// Draws whole prompt groups with replacement: steps of one prompt are not independent. Deterministic in the
/// seed.
class ClusteredBootstrap
{
public:
    /// `groupOfItem[i]` in [0, groups).
    ClusteredBootstrap(std::span<const std::int32_t> groupOfItem, std::int32_t groups, std::uint64_t seed);

    std::int32_t groups() const { return m_groups; }
    /// Calls `use(groupCounts, itemWeights)` for every resample: how often each group was drawn, and with it
    /// each of its items. Ends early when stopped; returns the number of resamples done.
    std::int32_t resample(std::int32_t samples,
                          const std::function<void(std::span<const std::int32_t> groupCounts,
                                                   std::span<const std::int32_t> itemWeights)>& use,
                          const std::stop_token& stop = {}) const;

private:
    std::vector<std::int32_t> m_groupOfItem;
    std::int32_t m_groups = 0;
    std::uint64_t m_seed = 0;
};

/// Wilson score interval of a share (Wilson, 1927); none without items.
std::optional<Interval> wilson(double successes, double count, double z = 1.959963984540054);

} // namespace assay
