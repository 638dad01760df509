#pragma once

#include "core/store/records.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace assay {

/// What a small plot shows: a series with its last value, and the line that a constant or a ruler reaches.
struct MiniSeries
{
    QString title;
    std::vector<SeriesPoint> points;
    std::optional<double> value; ///< at the right of the title; empty = not known
    int decimals = 3;
    std::optional<double> baseline;
    QString baselineName;
};

/// A small plot without axes: shape of a curve, last value, baseline. Non-finite points are marked at the
/// upper edge.
class MiniPlot : public QWidget
{
    Q_OBJECT
public:
    explicit MiniPlot(QWidget* parent = nullptr);

    void setSeries(MiniSeries series);
    const MiniSeries& series() const { return m_series; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintCurve(QPainter& painter, const QRectF& plot) const;
    void paintBaseline(QPainter& painter, const QRectF& plot, double y) const;

    MiniSeries m_series;
};

/// A line of values in [0, 1] without frame or title, for a table row; gaps where a value is missing.
class Sparkline : public QWidget
{
    Q_OBJECT
public:
    explicit Sparkline(QWidget* parent = nullptr);
    void setValues(std::vector<std::optional<double>> values, double threshold);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<std::optional<double>> m_values;
    double m_threshold = 0.5;
};

} // namespace assay
