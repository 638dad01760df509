#include "ui/plots/chart_style.h"

#include "ui/number_text.h"

#include <qcustomplot.h>

#include <cmath>

namespace assay::chart {

namespace {

/// Tick labels as the screens write numbers.
class Ticker : public QCPAxisTicker
{
public:
    explicit Ticker(TickText text)
        : m_text(text)
    {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        if (std::abs(tick) < 1e-12)
            tick = 0.0;
        switch (m_text) {
        case TickText::Count:
            return countText(std::llround(tick));
        case TickText::Percent:
            return percentText(tick / 100.0, decimals());
        case TickText::Rate:
            return tick == 0.0 ? QStringLiteral("0") : rateText(tick);
        case TickText::Duration:
            return tick == 0.0 ? QStringLiteral("0") : durationText(tick);
        case TickText::Number:
            break;
        }
        return metricText(tick, decimals());
    }
    double getTickStep(const QCPRange& range) override
    {
        m_step = QCPAxisTicker::getTickStep(range);
        if (m_text == TickText::Count)
            m_step = std::max(1.0, std::ceil(m_step));
        return m_step;
    }

private:
    int decimals() const { return tickDecimals(m_step); }

    TickText m_text;
    double m_step = 0.0;
};

void restyleAxis(QCPAxis* axis, bool base)
{
    const Palette& p = colors();
    axis->setBasePen(base ? QPen(p.line2, 0) : QPen(Qt::NoPen));
    axis->setTickPen(QPen(p.line2, 0));
    axis->setSubTicks(false);
    axis->setTickLength(0, 4);
    axis->setTickLabelFont(textFont(TextSize::Tick));
    axis->setTickLabelColor(p.text3);
    axis->setTickLabelPadding(3);
    axis->setLabelFont(textFont(TextSize::Tick));
    axis->setLabelColor(p.text3);
}

} // namespace

int tickDecimals(double step)
{
    int decimals = 0;
    for (; decimals < 6 && std::abs(step - std::round(step)) > 1e-6 * step; ++decimals)
        step *= 10.0;
    return decimals;
}

void setTicks(QCPAxis* axis, TickText text, int count)
{
    QSharedPointer<QCPAxisTicker> ticker(new Ticker(text));
    ticker->setTickCount(count);
    axis->setTicker(ticker);
}

void setUp(QCustomPlot* plot)
{
    plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot->setNoAntialiasingOnDrag(true);
    plot->setPlottingHint(QCP::phCacheLabels);
    plot->axisRect()->setRangeZoomFactor(0.8);
    plot->axisRect()->setMinimumMargins(QMargins(4, 6, 14, 4));
    plot->yAxis->grid()->setZeroLinePen(Qt::NoPen);
    plot->xAxis->grid()->setVisible(false);
    plot->yAxis->setNumberPrecision(3);
    plot->setFocusPolicy(Qt::NoFocus);
    // Names stand on the curves, never behind them.
    plot->addLayer(QStringLiteral("names"), plot->layer(QStringLiteral("overlay")), QCustomPlot::limBelow);
    // Cursors move often and must not redraw curves: a layer with a buffer of its own.
    plot->addLayer(QStringLiteral("cursor"), plot->layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
    plot->layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
}

void restyle(QCustomPlot* plot)
{
    const Palette& p = colors();
    plot->setBackground(QBrush(p.surface));
    restyleAxis(plot->xAxis, true);
    restyleAxis(plot->yAxis, true);
    restyleAxis(plot->yAxis2, false);
    plot->yAxis->grid()->setPen(QPen(p.line, 0));
}

} // namespace assay::chart
