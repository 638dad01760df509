#pragma once

#include <QRectF>

#include <optional>

class QPainter;

namespace assay {

/// A value in [0, 1] as a bar: grey fill up to the value, dark block over its interval, accent tick at the
/// baseline.
void paintIntervalBar(QPainter* painter, const QRectF& rect, double value, std::optional<double> low,
                      std::optional<double> high, std::optional<double> baseline);

} // namespace assay
