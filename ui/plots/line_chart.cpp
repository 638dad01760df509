#include "ui/plots/line_chart.h"

#include "ui/number_text.h"
#include "ui/plots/chart_annotations.h"
#include "ui/plots/chart_style.h"
#include "ui/plots/plot.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {

namespace {

constexpr std::size_t kMarkersBelow = 500; ///< denser lines are 1 px and without markers

QColor faded(QColor color, double opacity)
{
    color.setAlphaF(static_cast<float>(color.alphaF() * opacity));
    return color;
}

QPen linePen(const ChartLine& line, const QColor& color)
{
    const bool dense = line.x.size() >= kMarkersBelow;
    QPen pen(faded(color, line.opacity), dense ? std::min(1.0, line.width) : line.width);
    if (line.dash == Dash::Dashed)
        pen.setDashPattern({6, 3});
    else if (line.dash == Dash::Dotted)
        pen.setDashPattern({2, 2});
    return pen;
}

QCPScatterStyle scatter(const ChartLine& line, const QColor& color)
{
    if (line.x.size() >= kMarkersBelow)
        return {};
    switch (line.marker) {
    case Marker::None:
        return {};
    case Marker::Circle:
        return {QCPScatterStyle::ssDisc, color, color, 5};
    case Marker::Square: {
        QPainterPath path;
        path.addRect(-2.2, -2.2, 4.4, 4.4);
        return {path, QPen(Qt::NoPen), color, 6};
    }
    case Marker::Triangle: {
        QPainterPath path;
        path.addPolygon(QPolygonF({{-2.8, 2.2}, {2.8, 2.2}, {0, -2.8}, {-2.8, 2.2}}));
        return {path, QPen(Qt::NoPen), color, 6};
    }
    case Marker::Diamond: {
        QPainterPath path;
        path.addPolygon(QPolygonF({{0, -3.4}, {3.4, 0}, {0, 3.4}, {-3.4, 0}, {0, -3.4}}));
        return {path, QPen(Qt::NoPen), color, 6};
    }
    }
    return {};
}

/// Whether `now` is `before` with points added at its end.
bool grew(const std::vector<double>& before, const std::vector<double>& now)
{
    if (before.empty() || now.size() < before.size())
        return false;
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return std::equal(before.begin(), before.end(), now.begin(), same);
}

} // namespace

struct LineChart::Drawn
{
    QCPGraph* graph = nullptr;
    QCPGraph* low = nullptr; ///< lower edge of the band, no pen
    QCPGraph* high = nullptr;
};

LineChart::LineChart(QWidget* parent)
    : QWidget(parent)
    , m_plot(new Plot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setFocusPolicy(Qt::TabFocus);
    chart::setUp(m_plot);
    m_plot->axisRect()->setRangeZoom(Qt::Horizontal);
    m_plot->axisRect()->setRangeDrag(Qt::Horizontal);
    m_plot->installEventFilter(this);

    m_annotations = std::make_unique<ChartAnnotations>(m_plot);
    m_cursorLine = new QCPItemLine(m_plot);
    m_cursorLine->setLayer(QStringLiteral("cursor"));
    for (auto* end : {m_cursorLine->start, m_cursorLine->end}) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    m_cursorLine->setVisible(false);
    connect(m_plot, &QCustomPlot::mouseMove, this, [this](const QMouseEvent* event) {
        if (m_plot->axisRect()->rect().contains(event->pos()))
            Q_EMIT hovered(m_plot->xAxis->pixelToCoord(event->pos().x()));
    });
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] {
        showAll();
        Q_EMIT allChosen();
    });
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this](const QCPRange& range) {
                if (m_following)
                    return;
                m_zoomed = true;
                fitValues();
                Q_EMIT rangeChosen(range.lower, range.upper);
            });
    setTicks(TickText::Count, TickText::Number);
    restyle();
}

LineChart::~LineChart() = default;

void LineChart::setTicks(TickText x, TickText y, TickText right)
{
    chart::setTicks(m_plot->xAxis, x, 4);
    chart::setTicks(m_plot->yAxis, y);
    chart::setTicks(m_plot->yAxis2, right, 3);
}

void LineChart::setFullRange(double lower, double upper)
{
    m_fullLower = lower;
    m_fullUpper = upper > lower ? upper : lower + 1.0;
    if (!m_zoomed)
        applyRange();
}

void LineChart::setValueLimits(std::optional<double> lower, std::optional<double> upper)
{
    m_valueLower = lower;
    m_valueUpper = upper;
}

void LineChart::setLines(std::vector<ChartLine> lines)
{
    const std::vector<ChartLine> before = std::exchange(m_lines, std::move(lines));
    while (m_drawn.size() > m_lines.size()) {
        for (auto* graph : {m_drawn.back()->graph, m_drawn.back()->high, m_drawn.back()->low})
            if (graph)
                m_plot->removeGraph(graph);
        m_drawn.pop_back();
    }
    bool right = false;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        drawLine(i, i < before.size() ? &before[i] : nullptr);
        right = right || m_lines[i].rightAxis;
    }
    m_plot->yAxis2->setVisible(right);
    m_plot->yAxis2->setTickLabels(right);
    while (m_circles.size() < m_lines.size()) {
        auto* circle = new QCPItemTracer(m_plot);
        circle->setLayer(QStringLiteral("cursor"));
        circle->setStyle(QCPItemTracer::tsCircle);
        circle->setSize(7);
        circle->setVisible(false);
        m_circles.push_back(circle);
    }
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        styleLine(i);
    fitValues();
    setCursor(m_cursor);
    describe();
    replot();
}

void LineChart::drawLine(std::size_t index, const ChartLine* before)
{
    const ChartLine& line = m_lines[index];
    auto* axis = line.rightAxis ? m_plot->yAxis2 : m_plot->yAxis;
    if (index >= m_drawn.size())
        m_drawn.push_back(std::make_unique<Drawn>());
    Drawn& drawn = *m_drawn[index];
    if (!line.low.empty() && !drawn.low) {
        drawn.low = m_plot->addGraph(m_plot->xAxis, axis);
        drawn.high = m_plot->addGraph(m_plot->xAxis, axis);
        drawn.low->setPen(Qt::NoPen);
        drawn.high->setPen(Qt::NoPen);
        drawn.high->setChannelFillGraph(drawn.low);
    }
    if (!drawn.graph)
        drawn.graph = m_plot->addGraph(m_plot->xAxis, axis);
    drawn.graph->setValueAxis(axis);
    const auto vector = [](const std::vector<double>& values, std::size_t from) {
        return QVector<double>(values.begin() + static_cast<std::ptrdiff_t>(from), values.end());
    };
    const bool append =
        before && before->name == line.name && grew(before->x, line.x) && grew(before->y, line.y);
    const std::size_t from = append ? before->x.size() : 0;
    m_drawnPoints += static_cast<std::int64_t>(line.x.size() - from);
    if (append)
        drawn.graph->addData(vector(line.x, from), vector(line.y, from), true);
    else
        drawn.graph->setData(vector(line.x, 0), vector(line.y, 0), true);
    if (drawn.low) {
        drawn.low->setData(line.low.empty() ? QVector<double>() : vector(line.x, 0), vector(line.low, 0),
                           true);
        drawn.high->setData(line.high.empty() ? QVector<double>() : vector(line.x, 0), vector(line.high, 0),
                            true);
    }
}

void LineChart::styleLine(std::size_t index)
{
    const ChartLine& line = m_lines[index];
    const QColor color = line.color ? line.color(colors()) : colors().text3;
    const Drawn& drawn = *m_drawn[index];
    drawn.graph->setPen(linePen(line, color));
    drawn.graph->setScatterStyle(scatter(line, faded(color, line.opacity)));
    drawn.graph->setAntialiased(line.x.size() < kMarkersBelow);
    if (drawn.high)
        drawn.high->setBrush(faded(color, 0.16));
    m_circles[index]->setPen(QPen(color, 1.5));
    m_circles[index]->setBrush(colors().surface);
    m_circles[index]->position->setAxes(m_plot->xAxis, line.rightAxis ? m_plot->yAxis2 : m_plot->yAxis);
}

void LineChart::setBaselines(std::vector<ChartBaseline> baselines)
{
    m_annotations->setBaselines(std::move(baselines));
    fitValues();
    replot();
}

void LineChart::setMarks(std::vector<ChartMark> marks)
{
    m_annotations->setMarks(std::move(marks));
    replot();
}

void LineChart::setNotes(std::vector<ChartNote> notes)
{
    m_annotations->setNotes(std::move(notes));
    replot();
}

void LineChart::setNow(std::optional<double> x)
{
    m_annotations->setNow(x);
    replot();
}

void LineChart::setCursor(std::optional<double> x)
{
    m_cursor = x;
    m_cursorLine->setVisible(x.has_value());
    if (x) {
        m_cursorLine->start->setCoords(*x, 0.0);
        m_cursorLine->end->setCoords(*x, 1.0);
    }
    for (std::size_t i = 0; i < m_circles.size(); ++i) {
        const bool known = x && i < m_lines.size() && m_lines[i].followed;
        const double value = known ? m_lines[i].valueAt(*x) : std::numeric_limits<double>::quiet_NaN();
        m_circles[i]->setVisible(std::isfinite(value));
        if (std::isfinite(value))
            m_circles[i]->position->setCoords(*x, value);
    }
    m_plot->replotCursorSoon();
}

void LineChart::setVisibleRange(double lower, double upper)
{
    m_following = true;
    m_zoomed = true;
    m_plot->xAxis->setRange(lower, upper);
    m_following = false;
    fitValues();
    replot();
}

void LineChart::showAll()
{
    m_zoomed = false;
    m_valuesZoomed = false;
    applyRange();
    fitValues();
    replot();
}

const std::vector<ChartBaseline>& LineChart::baselines() const
{
    return m_annotations->baselines();
}

const std::vector<ChartMark>& LineChart::marks() const
{
    return m_annotations->marks();
}

double LineChart::visibleLower() const
{
    return m_plot->xAxis->range().lower;
}

double LineChart::visibleUpper() const
{
    return m_plot->xAxis->range().upper;
}

std::int64_t LineChart::takeDrawnPoints()
{
    return std::exchange(m_drawnPoints, 0);
}

void LineChart::applyRange()
{
    m_following = true;
    m_plot->xAxis->setRange(m_fullLower, m_fullUpper);
    m_following = false;
    replot();
}

void LineChart::fitValues()
{
    if (m_valuesZoomed)
        return;
    const QCPRange visible = m_plot->xAxis->range();
    const auto left = valueRange(m_lines, m_annotations->baselines(), false, visible.lower, visible.upper,
                                 m_valueLower, m_valueUpper);
    m_plot->yAxis->setRange(left.first, left.second);
    const auto right = valueRange(m_lines, {}, true, visible.lower, visible.upper, 0.0, std::nullopt);
    m_plot->yAxis2->setRange(right.first, right.second);
}

void LineChart::describe()
{
    QStringList words;
    for (const auto& line : m_lines)
        if (!line.name.isEmpty() && !line.y.empty())
            words << QStringLiteral("%1 %2 at the end").arg(line.name, metricText(line.y.back()));
    for (const auto& baseline : m_annotations->baselines())
        words << baseline.text;
    for (const auto& mark : m_annotations->marks())
        words << QStringLiteral("%1 at %2").arg(mark.text, countText(std::llround(mark.x)));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
}

void LineChart::restyle()
{
    chart::restyle(m_plot);
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        styleLine(i);
    m_annotations->restyle();
    QPen cursor(colors().text, 1);
    cursor.setDashPattern({1, 2});
    m_cursorLine->setPen(cursor);
    replot();
}

void LineChart::replot()
{
    m_plot->replotSoon();
}

void LineChart::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
    QWidget::changeEvent(event);
}

void LineChart::keyPressEvent(QKeyEvent* event)
{
    const int step = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    if (event->key() == Qt::Key_Left)
        Q_EMIT cursorStepped(-step);
    else if (event->key() == Qt::Key_Right)
        Q_EMIT cursorStepped(step);
    else if (event->key() == Qt::Key_Escape && m_zoomed) {
        showAll();
        Q_EMIT allChosen();
    } else
        QWidget::keyPressEvent(event);
}

bool LineChart::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT hoverEnded();
    if (event->type() == QEvent::Wheel) {
        const bool values = static_cast<QWheelEvent*>(event)->modifiers() & Qt::ShiftModifier;
        m_valuesZoomed = m_valuesZoomed || values;
        m_plot->axisRect()->setRangeZoom(values ? Qt::Vertical : Qt::Horizontal);
        m_plot->axisRect()->setRangeDrag(m_valuesZoomed ? Qt::Horizontal | Qt::Vertical : Qt::Horizontal);
    }
    if (event->type() == QEvent::MouseButtonPress)
        setFocus(Qt::MouseFocusReason);
    return QWidget::eventFilter(watched, event);
}

void LineChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Fewer ticks where their labels would run into each other.
    m_plot->xAxis->ticker()->setTickCount(std::clamp(width() / scaled(90), 2, 8));
    m_plot->yAxis->ticker()->setTickCount(std::clamp(height() / scaled(34), 2, 6));
}

} // namespace assay
