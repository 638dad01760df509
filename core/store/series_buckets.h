#pragma once

#include "core/store/records.h"

#include <limits>
#include <vector>

namespace assay {

/// Consecutive points of a series summed up; what the pyramid of a block is made of.
struct SeriesSummary
{
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    double firstStep = 0.0, lastStep = 0.0;
    double points = 0.0, nonFinite = 0.0;
    double minimum = kNone, maximum = kNone, last = kNone; ///< over finite values; NaN = there is none

    void add(double step, double value);
    void add(const SeriesSummary& next);
};
static_assert(sizeof(SeriesSummary) == 7 * sizeof(double), "written as it lies in memory");

/// Puts points and summaries, in order, into buckets of at least `width` points that never mix attempts.
class SeriesBuckets
{
public:
    explicit SeriesBuckets(double width)
        : m_width(width)
    {}

    void beginAttempt(std::int64_t attempt);
    void add(double step, double value);
    void add(const SeriesSummary& summary);
    std::vector<SeriesPoint> take();

private:
    void finish();

    double m_width;
    SeriesSummary m_bucket;
    double m_lastRaw = SeriesSummary::kNone; ///< shown where no value is finite
    std::int64_t m_attempt = 1;
    std::vector<SeriesPoint> m_points;
};

} // namespace assay
