#include "ui/models/interval_bar.h"

#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay {

void paintIntervalBar(QPainter* painter, const QRectF& rect, double value, std::optional<double> low,
                      std::optional<double> high, std::optional<double> baseline)
{
    const auto at = [&rect](double v) { return rect.left() + rect.width() * std::clamp(v, 0.0, 1.0); };
    const double middle = std::round(rect.center().y());
    const double thin = scaled(3), block = scaled(8), tick = scaled(12);
    painter->fillRect(QRectF(rect.left(), middle - thin / 2, rect.width(), thin), colors().line);
    painter->fillRect(QRectF(rect.left(), middle - thin / 2, at(value) - rect.left(), thin), colors().ctl);
    const double from = at(low.value_or(value)), to = at(high.value_or(value));
    const double width = std::max(to - from, 2.0);
    painter->fillRect(QRectF((from + to - width) / 2, middle - block / 2, width, block), colors().text);
    if (baseline)
        painter->fillRect(QRectF(at(*baseline) - 1.0, middle - tick / 2, 2.0, tick), colors().accent);
}

} // namespace assay
