#include "ui/plots/histogram_chart.h"

#include "ui/number_text.h"
#include "ui/plots/chart_style.h"
#include "ui/plots/plot.h"

#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace assay {

namespace {

std::vector<double> toPercent(std::vector<double> values)
{
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (double& value : values)
        value = sum > 0.0 ? 100.0 * value / sum : 0.0;
    return values;
}

} // namespace

/// A histogram outline filled with our own diagonal lines: Qt's pattern brush ignores the device pixel ratio.
class HatchedSteps : public QCPAbstractPlottable
{
public:
    HatchedSteps(QCPAxis* keyAxis, QCPAxis* valueAxis)
        : QCPAbstractPlottable(keyAxis, valueAxis)
    {}

    void setBins(std::vector<double> values, double lower, double upper)
    {
        m_values = std::move(values);
        m_lower = lower;
        m_upper = upper;
    }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1.0; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override
    {
        found = !m_values.empty();
        return {m_lower, m_upper};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override
    {
        found = !m_values.empty();
        return {0.0, found ? *std::max_element(m_values.begin(), m_values.end()) : 1.0};
    }

protected:
    void draw(QCPPainter* painter) override
    {
        if (m_values.empty())
            return;
        QPolygonF outline;
        outline << coordsToPixels(m_lower, 0.0);
        const double width = (m_upper - m_lower) / static_cast<double>(m_values.size());
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            outline << coordsToPixels(m_lower + static_cast<double>(i) * width, m_values[i]);
            outline << coordsToPixels(m_lower + static_cast<double>(i + 1) * width, m_values[i]);
        }
        outline << coordsToPixels(m_upper, 0.0);
        QPainterPath path;
        path.addPolygon(outline);
        painter->save();
        painter->setClipPath(path, Qt::IntersectClip);
        painter->setAntialiasing(true);
        painter->setPen(QPen(mPen.color(), 1));
        const QRectF box = path.boundingRect();
        for (double x = box.left() - box.height(); x < box.right(); x += 5.0)
            painter->drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
        painter->restore();
        painter->setAntialiasing(false);
        painter->setPen(mPen);
        painter->setBrush(Qt::NoBrush);
        painter->drawPolyline(outline);
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    std::vector<double> m_values;
    double m_lower = 0.0, m_upper = 1.0;
};

HistogramChart::HistogramChart(QWidget* parent)
    : QWidget(parent)
    , m_plot(new Plot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setFocusPolicy(Qt::TabFocus);
    chart::setUp(m_plot);
    m_plot->setInteractions(QCP::iNone);
    chart::setTicks(m_plot->xAxis, TickText::Number, 4);
    chart::setTicks(m_plot->yAxis, TickText::Percent, 4);
    m_plot->xAxis->setRange(0.0, 1.0);
    m_bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    m_bars->setAntialiased(false);
    m_steps = new HatchedSteps(m_plot->xAxis, m_plot->yAxis);
    m_thresholdLine = makeVertical();
    m_bestLine = makeVertical();
    restyle();
}

HistogramChart::VerticalLine HistogramChart::makeVertical()
{
    VerticalLine made{new QCPItemLine(m_plot), new QCPItemText(m_plot)};
    for (auto* end : {made.line->start, made.line->end}) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    made.text->position->setTypeX(QCPItemPosition::ptPlotCoords);
    made.text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    made.text->setPadding(QMargins(3, 0, 3, 0));
    made.text->setLayer(QStringLiteral("names"));
    made.line->setVisible(false);
    made.text->setVisible(false);
    return made;
}

void HistogramChart::place(VerticalLine& vertical, double x, const QString& text, double row,
                           Qt::Alignment side)
{
    vertical.line->start->setCoords(x, 0.0);
    vertical.line->end->setCoords(x, 1.0);
    vertical.text->setText(text);
    vertical.text->setPositionAlignment(Qt::AlignTop | side);
    vertical.text->position->setCoords(x, row);
}

void HistogramChart::setHistograms(std::vector<double> correct, std::vector<double> wrong)
{
    m_correct = toPercent(std::move(correct));
    m_wrong = toPercent(std::move(wrong));
    QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
    for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0})
        ticks->addTick(tick, QString::number(tick));
    m_plot->xAxis->setTicker(ticks);
    setBins(0.0, 1.0);
}

void HistogramChart::setMargins(const std::vector<double>& centres, const std::vector<double>& shares)
{
    m_correct.assign(shares.size(), 0.0);
    m_wrong.assign(shares.size(), 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i)
        (centres[i] > 0.0 ? m_correct : m_wrong)[i] = 100.0 * shares[i];
    chart::setTicks(m_plot->xAxis, TickText::Number, 4);
    const double half = centres.size() > 1 ? 0.5 * (centres[1] - centres[0]) : 0.5;
    setBins(centres.empty() ? -1.0 : centres.front() - half, centres.empty() ? 1.0 : centres.back() + half);
    m_thresholdLine.line->setVisible(true);
    m_thresholdLine.text->setVisible(true);
    m_bestLine.line->setVisible(false);
    m_bestLine.text->setVisible(false);
    place(m_thresholdLine, 0.0, tr("equal"), 0.0, Qt::AlignLeft);
}

void HistogramChart::setBins(double lower, double upper)
{
    const std::size_t bins = std::max<std::size_t>(1, m_correct.size());
    const double width = (upper - lower) / static_cast<double>(bins);
    QVector<double> keys, values;
    for (std::size_t i = 0; i < m_correct.size(); ++i) {
        keys << lower + (static_cast<double>(i) + 0.5) * width;
        values << m_correct[i];
    }
    m_bars->setData(keys, values, true);
    m_bars->setWidth(width);
    m_steps->setBins(m_wrong, lower, upper);
    m_plot->xAxis->setRange(lower, upper);
    double top = 1.0;
    for (const auto* shares : {&m_correct, &m_wrong})
        for (const double share : *shares)
            top = std::max(top, share);
    m_plot->yAxis->setRange(0.0, top * 1.28); // room for the names of the thresholds
    m_plot->replotSoon();
}

void HistogramChart::setThresholds(double threshold, std::optional<double> best)
{
    m_threshold = threshold;
    m_best = best;
    m_thresholdLine.line->setVisible(true);
    m_thresholdLine.text->setVisible(true);
    m_bestLine.line->setVisible(best.has_value());
    m_bestLine.text->setVisible(best.has_value());
    placeTexts();
    m_plot->replotSoon();
}

void HistogramChart::placeTexts()
{
    // Close together, the second name takes the line below.
    const bool close =
        m_best && std::abs(*m_best - m_threshold) < 0.3 && (*m_best > 0.4) == (m_threshold > 0.4);
    const auto name = [](double x, const QString& word) {
        return QStringLiteral("%1 %2").arg(word, metricText(x, 2));
    };
    const auto side = [](double x) { return x > 0.4 ? Qt::AlignRight : Qt::AlignLeft; };
    place(m_thresholdLine, m_threshold, name(m_threshold, tr("threshold")), 0.0, side(m_threshold));
    if (m_best)
        place(m_bestLine, *m_best, name(*m_best, tr("best")), close ? 0.12 : 0.0, side(*m_best));
}

void HistogramChart::restyle()
{
    const Palette& p = colors();
    chart::restyle(m_plot);
    QColor correct = p.reward[4];
    correct.setAlphaF(p.dark ? 0.65F : 0.55F);
    m_bars->setBrush(correct);
    m_bars->setPen(QPen(p.surface, 1));
    m_steps->setPen(QPen(p.reward[0], 1.2));
    for (auto* vertical : {&m_thresholdLine, &m_bestLine}) {
        const QColor color = vertical == &m_bestLine ? p.accentText : p.text2;
        QPen pen(color, 1.2);
        pen.setDashPattern({4, 3});
        vertical->line->setPen(pen);
        vertical->text->setColor(color);
        vertical->text->setFont(textFont(TextSize::Tick));
    }
    m_plot->replotSoon();
}

void HistogramChart::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
    QWidget::changeEvent(event);
}

} // namespace assay
