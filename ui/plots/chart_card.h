#pragma once

#include "ui/plots/chart_line.h"

#include <QWidget>

#include <vector>

namespace assay {

/// How an entry of a legend looks.
struct LegendEntry
{
    enum class Sample { Line, Filled, Hatched };
    QString name;
    ColorOf color = nullptr;
    Dash dash = Dash::Solid;
    Marker marker = Marker::None;
    Sample sample = Sample::Line;
};

/// Paints a marker centred at a point; filled with `color`.
void paintMarker(QPainter* painter, const QPointF& centre, Marker marker, const QColor& color);

/// The frame of one chart: title at the left, legend at the right of the same line, the chart below.
class ChartCard : public QWidget
{
    Q_OBJECT
public:
    /// Takes `chart` over; the title is also its accessible name.
    ChartCard(const QString& title, QWidget* chart, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setLegend(std::vector<LegendEntry> legend);
    const std::vector<LegendEntry>& legend() const { return m_legend; }
    /// Shown instead of the chart while there is nothing to draw; empty = show the chart.
    void setEmptyText(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void paintLegend(QPainter& painter, int left) const;

    QString m_title, m_emptyText;
    std::vector<LegendEntry> m_legend;
    QWidget* m_chart;
};

} // namespace assay
