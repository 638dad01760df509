#include "ui/plots/mini_plot.h"

#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

struct Range
{
    double low = 0.0, high = 1.0;
};

/// Over the finite extremes and the baseline, with some air.
Range valueRange(const MiniSeries& series)
{
    double low = INFINITY, high = -INFINITY;
    const auto include = [&](double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };
    for (const auto& point : series.points) {
        include(point.minimum);
        include(point.maximum);
    }
    if (series.baseline)
        include(*series.baseline);
    if (!(low <= high))
        return {};
    const double air = high > low ? (high - low) * 0.08 : std::max(std::abs(high) * 0.1, 1e-9);
    return {low - air, high + air};
}

} // namespace

MiniPlot::MiniPlot(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MiniPlot::setSeries(MiniSeries series)
{
    m_series = std::move(series);
    QString text =
        m_series.value ? metricText(m_series.value, m_series.decimals) : QStringLiteral("no value yet");
    if (m_series.baseline)
        text += QStringLiteral(", %1 %2").arg(m_series.baselineName, metricText(m_series.baseline, 3));
    setAccessibleName(m_series.title);
    setAccessibleDescription(text);
    setToolTip(m_series.title + QStringLiteral(": ") + text);
    update();
}

QSize MiniPlot::sizeHint() const
{
    return {scaled(150), scaled(92)};
}

QSize MiniPlot::minimumSizeHint() const
{
    return {scaled(110), scaled(92)};
}

void MiniPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(colors().line2);
    painter.setBrush(colors().surface);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const QRect head(scaled(7), scaled(4), width() - scaled(14), scaled(18));
    painter.setFont(textFont(TextSize::Tick));
    painter.setPen(colors().text2);
    const QString value = metricText(m_series.value, m_series.decimals);
    const QFont bold = numberFont(TextSize::Tick, true);
    const int room = head.width() - QFontMetrics(bold).horizontalAdvance(value) - scaled(4);
    painter.drawText(head, int(Qt::AlignLeft | Qt::AlignVCenter),
                     painter.fontMetrics().elidedText(m_series.title, Qt::ElideRight, room));
    painter.setFont(bold);
    painter.setPen(colors().text);
    painter.drawText(head, int(Qt::AlignRight | Qt::AlignVCenter), value);
    const QRectF plot = QRectF(rect()).adjusted(scaled(3), scaled(26), -scaled(4), -scaled(5));
    paintCurve(painter, plot);
}

void MiniPlot::paintCurve(QPainter& painter, const QRectF& plot) const
{
    if (m_series.points.empty()) {
        painter.setFont(textFont(TextSize::Tick));
        painter.setPen(colors().text3);
        painter.drawText(plot, Qt::AlignCenter, QStringLiteral("no data yet"));
        return;
    }
    const Range range = valueRange(m_series);
    const double firstX = m_series.points.front().step;
    const double spanX = std::max(m_series.points.back().step - firstX, 1e-9);
    const auto x = [&](double step) { return plot.left() + plot.width() * (step - firstX) / spanX; };
    const auto y = [&](double v) {
        return plot.bottom() - plot.height() * (v - range.low) / (range.high - range.low);
    };
    if (m_series.baseline)
        paintBaseline(painter, plot, y(*m_series.baseline));
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath path;
    bool open = false;
    std::vector<double> broken;
    for (const auto& point : m_series.points) {
        if (point.nonFinite > 0 || !std::isfinite(point.last))
            broken.push_back(x(point.step));
        if (!std::isfinite(point.minimum) || !std::isfinite(point.maximum) || !std::isfinite(point.last)) {
            open = false;
            continue;
        }
        const QPointF last(x(point.step), y(point.last));
        open ? path.lineTo(x(point.step), y(point.minimum)) : path.moveTo(x(point.step), y(point.minimum));
        path.lineTo(x(point.step), y(point.maximum));
        path.lineTo(last);
        open = true;
    }
    painter.setPen(QPen(colors().text2, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (m_series.points.size() == 1) {
        painter.setBrush(colors().text2);
        painter.drawEllipse(QPointF(plot.left(), y(m_series.points.front().last)), 2.0, 2.0);
    }
    for (const double at : broken)
        paintIcon(&painter, QRectF(at - 5, plot.top() - 2, 10, 10), Icon::Warning, colors().err);
}

void MiniPlot::paintBaseline(QPainter& painter, const QRectF& plot, double y) const
{
    QPen pen(colors().text2, 1.0);
    pen.setDashPattern({4.0, 3.0});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    const QFont font = textFont(TextSize::Tick);
    painter.setFont(font);
    const QString text = m_series.baselineName + QLatin1Char(' ') + metricText(m_series.baseline, 3);
    const QFontMetricsF metrics(font);
    // Above the line, unless there is no room; a ground of surface keeps it readable over the curve.
    const double top = y - metrics.height() - 1 > plot.top() - scaled(4) ? y - metrics.height() - 1 : y + 1;
    const QRectF box(plot.right() - metrics.horizontalAdvance(text) - 3, top,
                     metrics.horizontalAdvance(text) + 3, metrics.height());
    QColor ground = colors().surface;
    ground.setAlphaF(0.8F);
    painter.fillRect(box, ground);
    painter.setPen(colors().text2);
    painter.drawText(box, int(Qt::AlignRight | Qt::AlignVCenter), text);
}

Sparkline::Sparkline(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Sparkline::setValues(std::vector<std::optional<double>> values, double threshold)
{
    m_values = std::move(values);
    m_threshold = threshold;
    QStringList texts;
    for (const auto& value : m_values)
        texts << metricText(value, 2);
    setAccessibleName(QStringLiteral("Probability over evaluations"));
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    setToolTip(texts.join(QStringLiteral(", ")));
    update();
}

QSize Sparkline::sizeHint() const
{
    return {scaled(70), scaled(18)};
}

void Sparkline::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF plot = QRectF(rect()).adjusted(2, 3, -2, -3);
    const auto y = [&plot](double v) { return plot.bottom() - plot.height() * std::clamp(v, 0.0, 1.0); };
    QPen dashed(colors().text3, 1.0);
    dashed.setDashPattern({3.0, 2.0});
    painter.setPen(dashed);
    painter.drawLine(QPointF(plot.left(), y(m_threshold)), QPointF(plot.right(), y(m_threshold)));
    QPainterPath path;
    bool open = false;
    const double span = std::max<double>(1.0, static_cast<double>(m_values.size()) - 1.0);
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        if (!m_values[i]) {
            open = false;
            continue;
        }
        const QPointF point(plot.left() + plot.width() * static_cast<double>(i) / span, y(*m_values[i]));
        open ? path.lineTo(point) : path.moveTo(point);
        open = true;
        if (i + 1 == m_values.size())
            painter.fillRect(QRectF(point - QPointF(1.5, 1.5), QSizeF(3, 3)), colors().text);
    }
    painter.setPen(QPen(colors().text, 1.3));
    painter.drawPath(path);
}

} // namespace assay
