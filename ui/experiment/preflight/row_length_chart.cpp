#include "ui/experiment/preflight/row_length_chart.h"

#include "ui/number_text.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay {

RowLengthChart::RowLengthChart(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Tokens per row"));
}

void RowLengthChart::setLengths(std::vector<double> starts, std::vector<double> rows,
                                std::optional<LengthLimit> limit)
{
    m_starts = std::move(starts);
    m_rows = std::move(rows);
    m_limit = std::move(limit);
    QStringList words;
    for (std::size_t i = 0; i < std::min(m_starts.size(), m_rows.size()); ++i)
        if (m_rows[i] > 0.0)
            words << tr("from %1 tokens: %2 rows").arg(m_starts[i]).arg(m_rows[i]);
    if (m_limit)
        words << tr("limit %1, %2").arg(m_limit->tokens).arg(m_limit->rowsLost);
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

double RowLengthChart::tickStep(double span)
{
    const double least = std::max(1.0, span / 5.0);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least)
            return factor * power;
    return 10.0 * power;
}

QSize RowLengthChart::sizeHint() const
{
    return {scaled(200), scaled(124)};
}

void RowLengthChart::paintEvent(QPaintEvent*)
{
    if (m_starts.empty() || m_rows.size() != m_starts.size())
        return;
    const Palette& p = colors();
    QPainter painter(this);
    painter.setFont(numberFont(TextSize::Tick));
    const QRectF plot = QRectF(rect()).adjusted(scaled(6), scaled(6), -scaled(6), -scaled(18));
    const double bin = m_starts.size() > 1 ? m_starts[1] : std::max(1.0, 2.0 * m_starts.front() + 1.0);
    const double span = bin * static_cast<double>(m_starts.size());
    const double most = std::max(1.0, *std::max_element(m_rows.begin(), m_rows.end()));
    const double room = plot.height() - headroom(QFontMetrics(painter.font()), plot.width());
    const double cell = plot.width() / static_cast<double>(m_starts.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i] <= 0.0)
            continue;
        const double height = std::max(1.0, room * m_rows[i] / most);
        const bool beyond = m_limit && m_starts[i] >= m_limit->tokens;
        painter.fillRect(QRectF(plot.left() + cell * static_cast<double>(i), plot.bottom() - height,
                                std::max(1.0, cell - 1.0), height),
                         beyond ? p.err : p.text3);
    }
    painter.setPen(QPen(p.line2, 0));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.setPen(p.text3);
    const double step = tickStep(span);
    for (double tick = 0.0; tick <= span; tick += step) {
        const double x = plot.left() + plot.width() * tick / span;
        const bool first = tick == 0.0, last = x + scaled(16) > plot.right();
        const auto align = first ? Qt::AlignLeft : last ? Qt::AlignRight : Qt::AlignHCenter;
        const double left = first ? x : last ? plot.right() - scaled(60) : x - scaled(30);
        painter.drawText(QRectF(left, plot.bottom() + scaled(2), scaled(60), scaled(16)),
                         align | Qt::AlignVCenter, countText(std::llround(tick)));
    }
    if (m_limit)
        paintLimit(&painter, plot, span);
}

double RowLengthChart::headroom(const QFontMetrics& metrics, double width) const
{
    if (!m_limit)
        return 0.0;
    const int lines = m_limit->labelsLost.isEmpty()                            ? 1
                      : metrics.horizontalAdvance(m_limit->labelsLost) < width ? 2
                                                                               : 3;
    return lines * metrics.height() + scaled(4);
}

void RowLengthChart::paintLimit(QPainter* painter, const QRectF& plot, double span) const
{
    const Palette& p = colors();
    const QFontMetrics metrics(painter->font());
    const double x = plot.left() + plot.width() * std::min(1.0, m_limit->tokens / span);
    if (m_limit->tokens < span) {
        painter->setPen(QPen(p.text2, 1, Qt::DashLine));
        painter->drawLine(QPointF(x, plot.top() + headroom(metrics, plot.width())),
                          QPointF(x, plot.bottom()));
    }
    // The words stand above the bars, as near to the limit as the width allows.
    const auto leftOf = [&](double width) {
        return std::clamp(x - width / 2.0, plot.left(), std::max(plot.left(), plot.right() - width));
    };
    const QString limit = tr("limit %1").arg(countText(std::llround(m_limit->tokens)));
    const double first = metrics.horizontalAdvance(limit) + scaled(8);
    const double left = leftOf(first + metrics.horizontalAdvance(m_limit->rowsLost));
    const double line = metrics.height();
    painter->setPen(p.text2);
    painter->drawText(QRectF(left, plot.top(), first, line), Qt::AlignLeft | Qt::AlignVCenter, limit);
    painter->setPen(p.err);
    painter->drawText(QRectF(left + first, plot.top(), plot.right() - left - first, line),
                      Qt::AlignLeft | Qt::AlignVCenter, m_limit->rowsLost);
    const double wide = std::min(plot.width(), metrics.horizontalAdvance(m_limit->labelsLost) + 2.0);
    painter->setPen(p.text2);
    painter->drawText(QRectF(leftOf(wide), plot.top() + line, wide, 2.0 * line),
                      int(Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap), m_limit->labelsLost);
}

} // namespace assay
