#include "core/eval/bootstrap.h"

#include "core/base/check.h"
#include "core/base/random.h"

#include <algorithm>
#include <cmath>

namespace assay {

double percentile(std::span<const double> sortedValues, double q)
{
    CHECK(!sortedValues.empty(), "percentile of nothing");
    const double position = double(sortedValues.size() - 1) * q / 100.0;
    const auto below = std::size_t(std::clamp(std::floor(position), 0.0, double(sortedValues.size() - 1)));
    const auto above = std::min(below + 1, sortedValues.size() - 1);
    return sortedValues[below] + (position - double(below)) * (sortedValues[above] - sortedValues[below]);
}

std::optional<Interval> percentileInterval(std::span<const Measure> statistics, double lowPercent,
                                           double highPercent)
{
    std::vector<double> defined;
    defined.reserve(statistics.size());
    for (const auto& statistic : statistics)
        if (statistic)
            defined.push_back(*statistic.value);
    if (defined.size() < 2)
        return std::nullopt;
    std::sort(defined.begin(), defined.end());
    return Interval{percentile(defined, lowPercent), percentile(defined, highPercent),
                    static_cast<std::int64_t>(statistics.size() - defined.size())};
}

ClusteredBootstrap::ClusteredBootstrap(std::span<const std::int32_t> groupOfItem, std::int32_t groups,
                                       std::uint64_t seed)
    : m_groupOfItem(groupOfItem.begin(), groupOfItem.end())
    , m_groups(groups)
    , m_seed(seed)
{
    for (const auto group : m_groupOfItem)
        CHECK(group >= 0 && group < groups, "item outside the groups");
}

std::int32_t ClusteredBootstrap::resample(
    std::int32_t samples,
    const std::function<void(std::span<const std::int32_t>, std::span<const std::int32_t>)>& use,
    const std::stop_token& stop) const
{
    if (m_groups == 0)
        return 0;
    RandomStream random(m_seed, "bootstrap");
    std::vector<std::int32_t> counts(static_cast<std::size_t>(m_groups));
    std::vector<std::int32_t> weights(m_groupOfItem.size());
    for (std::int32_t sample = 0; sample < samples; ++sample) {
        if (stop.stop_requested())
            return sample;
        std::fill(counts.begin(), counts.end(), 0);
        for (std::int32_t draw = 0; draw < m_groups; ++draw)
            ++counts[random.below(static_cast<std::uint64_t>(m_groups))];
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = counts[std::size_t(m_groupOfItem[i])];
        use(counts, weights);
    }
    return samples;
}

std::optional<Interval> wilson(double successes, double count, double z)
{
    if (count <= 0.0)
        return std::nullopt;
    const double share = successes / count;
    const double scale = 1.0 + z * z / count;
    const double centre = (share + z * z / (2.0 * count)) / scale;
    const double half = z / scale * std::sqrt(share * (1.0 - share) / count + z * z / (4.0 * count * count));
    return Interval{std::max(0.0, centre - half), std::min(1.0, centre + half), 0};
}

} // namespace assay
