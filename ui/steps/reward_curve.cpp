#include "ui/steps/reward_curve.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

QPen shownPen()
{
    return {colors().text, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin};
}

QPen comparedPen()
{
    QPen pen(colors().text2, 1.2);
    pen.setDashPattern({4.0, 3.0});
    return pen;
}

} // namespace

RewardCurve::RewardCurve(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(QStringLiteral("Step probability"));
}

void RewardCurve::setSolution(Solution solution, double threshold, std::int64_t compared)
{
    m_solution = std::move(solution);
    m_threshold = threshold;
    m_compared = compared;
    QStringList texts;
    for (const auto& value : shownValues())
        texts << metricText(value, 2);
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    update();
}

void RewardCurve::setCurrentStep(int step)
{
    m_current = step;
    update();
}

const EvaluationTrack* RewardCurve::track(std::int64_t evaluation) const
{
    const auto found =
        std::find_if(m_solution.tracks.begin(), m_solution.tracks.end(),
                     [evaluation](const EvaluationTrack& t) { return t.evaluation == evaluation; });
    return found == m_solution.tracks.end() ? nullptr : &*found;
}

std::vector<std::optional<double>> RewardCurve::shownValues() const
{
    const auto* shown = track(m_solution.evaluation);
    return shown ? shown->probabilities : std::vector<std::optional<double>>{};
}

std::vector<std::optional<double>> RewardCurve::comparedValues() const
{
    const auto* compared = m_compared == m_solution.evaluation ? nullptr : track(m_compared);
    return compared ? compared->probabilities : std::vector<std::optional<double>>{};
}

QSize RewardCurve::sizeHint() const
{
    return {scaled(600), scaled(152)};
}

QSize RewardCurve::minimumSizeHint() const
{
    return {scaled(300), scaled(152)};
}

QRectF RewardCurve::plotRect() const
{
    return QRectF(rect()).adjusted(scaled(42), scaled(32), -scaled(6), -scaled(22));
}

double RewardCurve::xOf(int step) const
{
    const QRectF plot = plotRect();
    const auto count = static_cast<double>(std::max<std::size_t>(1, m_solution.steps.size()));
    return plot.left() + plot.width() * (step + 0.5) / count;
}

double RewardCurve::yOf(double value) const
{
    const QRectF plot = plotRect();
    return plot.bottom() - plot.height() * std::clamp(value, 0.0, 1.0);
}

void RewardCurve::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), colors().surface);
    paintLegend(painter);
    paintAxes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLine(painter, comparedValues(), comparedPen());
    paintLine(painter, shownValues(), shownPen());
    paintMarks(painter);
}

void RewardCurve::paintLegend(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(colors().text2);
    const int middle = scaled(14);
    painter.drawText(QRect(scaled(12), 0, width(), 2 * middle), int(Qt::AlignLeft | Qt::AlignVCenter),
                     QStringLiteral("Step probability"));
    const QFont font = textFont(TextSize::Tick);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const int room = width() - scaled(150);
    int x = width() - scaled(12);
    // From right to left, so that what is left out on a narrow window is what the header row already
    // explains.
    const auto entry = [&](const QString& text, auto paintSign) {
        const int need = metrics.horizontalAdvance(text) + scaled(34);
        if (width() - x + need > room)
            return;
        x -= metrics.horizontalAdvance(text);
        painter.setPen(colors().text2);
        painter.drawText(QRect(x, 0, metrics.horizontalAdvance(text) + 2, 2 * middle),
                         int(Qt::AlignLeft | Qt::AlignVCenter), text);
        paintSign(x - scaled(6));
        x -= scaled(34);
    };
    const auto line = [&](const QPen& pen) {
        return [&painter, pen, middle](int right) {
            painter.setPen(pen);
            painter.drawLine(right - scaled(16), middle, right, middle);
        };
    };
    const auto* compared = m_compared == m_solution.evaluation ? nullptr : track(m_compared);
    if (compared)
        entry(QStringLiteral("step %1").arg(countText(compared->step)), line(comparedPen()));
    if (const auto* shown = track(m_solution.evaluation))
        entry(QStringLiteral("step %1").arg(countText(shown->step)), line(shownPen()));
    const auto shape = [&](LabelKind kind) {
        return [&painter, kind, middle](int right) {
            paintLabelShape(&painter, QPointF(right - scaled(3), middle), scaled(4), kind);
        };
    };
    entry(QStringLiteral("label wrong"), shape(LabelKind::Wrong));
    entry(QStringLiteral("label correct"), shape(LabelKind::Correct));
}

void RewardCurve::paintAxes(QPainter& painter) const
{
    const QRectF plot = plotRect();
    const Palette& p = colors();
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (m_current >= 0 && m_current < static_cast<int>(m_solution.steps.size())) {
        QColor band = p.accentSoft;
        band.setAlphaF(p.dark ? 0.55F : 0.7F);
        const double half = plot.width() / static_cast<double>(m_solution.steps.size()) / 2.0;
        painter.fillRect(QRectF(xOf(m_current) - half, plot.top(), 2.0 * half, plot.height()), band);
    }
    painter.setFont(numberFont(TextSize::Tick));
    for (const double value : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double y = std::round(yOf(value)) + 0.5;
        painter.setPen(value == 0.0 ? p.line2 : p.line);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(p.text3);
        painter.drawText(QRectF(0, y - scaled(9), plot.left() - scaled(7), scaled(18)),
                         int(Qt::AlignRight | Qt::AlignVCenter), metricText(value, 2));
    }
    painter.setPen(p.line2);
    painter.drawLine(plot.topLeft(), plot.bottomLeft());
    const int count = static_cast<int>(m_solution.steps.size());
    const int every =
        std::max(1, static_cast<int>(std::ceil(count * scaled(26) / std::max(1.0, plot.width()))));
    painter.setPen(p.text3);
    for (int step = 0; step < count; step += every)
        painter.drawText(QRectF(xOf(step) - scaled(20), plot.bottom() + scaled(4), scaled(40), scaled(16)),
                         Qt::AlignCenter, QString::number(step + 1));
    QPen dashed(p.text2, 1.0);
    dashed.setDashPattern({4.0, 3.0});
    painter.setPen(dashed);
    const double y = std::round(yOf(m_threshold)) + 0.5;
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setFont(textFont(TextSize::Tick));
    painter.setPen(p.text2);
    const bool above = m_threshold < 0.85, right = endIsFreer();
    painter.drawText(QRectF(plot.left() + scaled(8), above ? y - scaled(17) : y + scaled(1),
                            plot.width() - scaled(16), scaled(16)),
                     int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter),
                     QStringLiteral("threshold %1").arg(metricText(m_threshold, 2)));
}

bool RewardCurve::endIsFreer() const
{
    double first = 1.0, last = 1.0; // distance of the nearest value from the threshold
    for (const auto& values : {shownValues(), comparedValues()}) {
        if (values.empty())
            continue;
        first = std::min(first, std::abs(values.front().value_or(1.0) - m_threshold));
        last = std::min(last, std::abs(values.back().value_or(1.0) - m_threshold));
    }
    return last > first;
}

void RewardCurve::paintLine(QPainter& painter, const std::vector<std::optional<double>>& values,
                            const QPen& pen) const
{
    QPainterPath path;
    bool open = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]) {
            open = false;
            continue;
        }
        const QPointF point(xOf(static_cast<int>(i)), yOf(*values[i]));
        open ? path.lineTo(point) : path.moveTo(point);
        open = true;
    }
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void RewardCurve::paintMarks(QPainter& painter) const
{
    const auto values = shownValues();
    for (std::size_t i = 0; i < values.size() && i < m_solution.steps.size(); ++i) {
        if (!values[i])
            continue;
        const auto& step = m_solution.steps[i];
        paintLabelShape(&painter, QPointF(xOf(static_cast<int>(i)), yOf(*values[i])), scaled(4),
                        labelKind(step.label, step.supervised));
    }
    const QRectF plot = plotRect();
    // The label's flag stands on the axis, the model's hangs at the top, so that both are seen on the same
    // step.
    const int labelled = m_solution.firstTrueError();
    const int predicted = m_solution.firstPredictedError(m_threshold);
    if (labelled >= 0) {
        QPointF foot(xOf(labelled), plot.bottom());
        const auto at = static_cast<std::size_t>(labelled);
        if (at < values.size() && values[at] && yOf(*values[at]) > plot.bottom() - scaled(24))
            foot = QPointF(foot.x() - (labelled == predicted ? scaled(13) : 0), plot.top() + scaled(18));
        paintFlag(&painter, foot, scaled(14), colors().text, true);
    }
    if (predicted >= 0)
        paintFlag(&painter, QPointF(xOf(predicted), plot.top() + scaled(18)), scaled(14), colors().text,
                  false);
}

void RewardCurve::mousePressEvent(QMouseEvent* event)
{
    const QRectF plot = plotRect();
    const int count = static_cast<int>(m_solution.steps.size());
    if (count == 0 || plot.width() <= 0)
        return;
    const auto step = static_cast<int>((event->position().x() - plot.left()) / plot.width() * count);
    if (step >= 0 && step < count)
        Q_EMIT stepClicked(step);
}

} // namespace assay
