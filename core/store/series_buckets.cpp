#include "core/store/series_buckets.h"

#include <cmath>
#include <utility>

namespace assay {

void SeriesSummary::add(double step, double value)
{
    if (points == 0.0)
        firstStep = step;
    lastStep = step;
    points += 1.0;
    if (!std::isfinite(value)) {
        nonFinite += 1.0;
        return;
    }
    minimum = std::fmin(minimum, value);
    maximum = std::fmax(maximum, value);
    last = value;
}

void SeriesSummary::add(const SeriesSummary& next)
{
    if (points == 0.0)
        firstStep = next.firstStep;
    lastStep = next.lastStep;
    points += next.points;
    nonFinite += next.nonFinite;
    minimum = std::fmin(minimum, next.minimum);
    maximum = std::fmax(maximum, next.maximum);
    if (!std::isnan(next.last))
        last = next.last;
}

void SeriesBuckets::beginAttempt(std::int64_t attempt)
{
    finish();
    m_attempt = attempt;
}

void SeriesBuckets::add(double step, double value)
{
    m_bucket.add(step, value);
    m_lastRaw = value;
    if (m_bucket.points >= m_width)
        finish();
}

void SeriesBuckets::add(const SeriesSummary& summary)
{
    m_bucket.add(summary);
    m_lastRaw = SeriesSummary::kNone;
    if (m_bucket.points >= m_width)
        finish();
}

std::vector<SeriesPoint> SeriesBuckets::take()
{
    finish();
    return std::move(m_points);
}

void SeriesBuckets::finish()
{
    if (m_bucket.points == 0.0)
        return;
    SeriesPoint point;
    point.step = m_bucket.lastStep;
    const bool nothingFinite = m_bucket.points == m_bucket.nonFinite;
    point.minimum = nothingFinite ? m_lastRaw : m_bucket.minimum;
    point.maximum = nothingFinite ? m_lastRaw : m_bucket.maximum;
    point.last = nothingFinite ? m_lastRaw : m_bucket.last;
    point.attempt = m_attempt;
    point.count = static_cast<std::int64_t>(m_bucket.points);
    point.nonFinite = static_cast<std::int64_t>(m_bucket.nonFinite);
    m_points.push_back(point);
    m_bucket = {};
}

} // namespace assay
