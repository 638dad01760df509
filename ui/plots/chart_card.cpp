#include "ui/plots/chart_card.h"

#include "ui/style_painting.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kTitleHeight = 27, kPadding = 10, kSample = 18, kGap = 5, kEntryGap = 12;

} // namespace

void paintMarker(QPainter* painter, const QPointF& centre, Marker marker, const QColor& color)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    const double x = centre.x(), y = centre.y();
    switch (marker) {
    case Marker::None:
        break;
    case Marker::Circle:
        painter->drawEllipse(centre, 2.6, 2.6);
        break;
    case Marker::Square:
        painter->drawRect(QRectF(x - 2.4, y - 2.4, 4.8, 4.8));
        break;
    case Marker::Triangle:
        painter->drawPolygon(QPolygonF({{x - 3, y + 2.4}, {x + 3, y + 2.4}, {x, y - 3}}));
        break;
    case Marker::Diamond:
        painter->drawPolygon(QPolygonF({{x, y - 3.6}, {x + 3.6, y}, {x, y + 3.6}, {x - 3.6, y}}));
        break;
    }
    painter->restore();
}

ChartCard::ChartCard(const QString& title, QWidget* chart, QWidget* parent)
    : QWidget(parent)
    , m_chart(chart)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(4), scaled(kTitleHeight), scaled(4), scaled(4));
    layout->addWidget(chart);
    chart->installEventFilter(this);
    setTitle(title);
    setMinimumSize(scaled(240), scaled(180));
}

void ChartCard::setTitle(const QString& title)
{
    m_title = title;
    m_chart->setAccessibleName(title);
    update();
}

void ChartCard::setLegend(std::vector<LegendEntry> legend)
{
    m_legend = std::move(legend);
    update();
}

void ChartCard::setEmptyText(const QString& text)
{
    if (text == m_emptyText)
        return;
    m_emptyText = text;
    m_chart->setVisible(text.isEmpty());
    update();
}

void ChartCard::paintLegend(QPainter& painter, int left) const
{
    const Palette& p = colors();
    painter.setFont(textFont(TextSize::Tick));
    const QFontMetrics metrics(painter.font());
    int width = 0;
    for (const auto& entry : m_legend)
        width += scaled(kSample + kGap + kEntryGap) + metrics.horizontalAdvance(entry.name);
    width -= scaled(kEntryGap);
    // A legend that does not fit loses its samples' room first, then itself: curves are named in the
    // read-out, too.
    int x = this->width() - scaled(kPadding) - width;
    if (m_legend.empty() || x < left + scaled(kGap))
        return;
    const double middle = scaled(kTitleHeight) / 2.0 + 1;
    for (const auto& entry : m_legend) {
        const QColor color = entry.color ? entry.color(p) : p.text3;
        const QRectF box(x + 4.5, middle - 4.5, 9, 9);
        if (entry.sample == LegendEntry::Sample::Line) {
            QPen pen(color, 1.5);
            if (entry.dash == Dash::Dashed)
                pen.setDashPattern({4, 2});
            else if (entry.dash == Dash::Dotted)
                pen.setDashPattern({1.5, 1.5});
            painter.setPen(pen);
            painter.drawLine(QPointF(x, middle), QPointF(x + scaled(kSample), middle));
            paintMarker(&painter, QPointF(x + scaled(kSample) / 2.0, middle), entry.marker, color);
        } else if (entry.sample == LegendEntry::Sample::Filled) {
            painter.fillRect(box, color);
        } else {
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(color, 1));
            painter.setClipRect(box);
            for (double at = -9; at < 9; at += 3.6)
                painter.drawLine(QPointF(box.left() + at, box.bottom()),
                                 QPointF(box.left() + at + 9, box.top()));
            painter.setClipping(false);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box);
            painter.restore();
        }
        x += scaled(kSample + kGap);
        painter.setPen(p.text2);
        const int advance = metrics.horizontalAdvance(entry.name);
        painter.drawText(QRect(x, 0, advance + 2, scaled(kTitleHeight) + 2), Qt::AlignVCenter | Qt::AlignLeft,
                         entry.name);
        x += advance + scaled(kEntryGap);
    }
}

void ChartCard::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(p.line2, 1));
    painter.setBrush(p.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setFont(textFont(TextSize::Section));
    QFont font = painter.font();
    font.setPixelSize(textFont(TextSize::Table).pixelSize());
    painter.setFont(font);
    painter.setPen(p.text);
    const QRect title(scaled(kPadding), 0, width() - scaled(2 * kPadding), scaled(kTitleHeight) + 2);
    painter.drawText(title, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(m_title, Qt::ElideRight, title.width()));
    paintLegend(painter, title.left() + painter.fontMetrics().horizontalAdvance(m_title));
    if (!m_emptyText.isEmpty()) {
        painter.setFont(textFont(TextSize::Table));
        painter.setPen(p.text3);
        painter.drawText(rect().adjusted(scaled(16), scaled(kTitleHeight), -scaled(16), -scaled(8)),
                         Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    if (m_chart->hasFocus())
        painting::focusRing(&painter, QRectF(rect()), 4);
}

bool ChartCard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    return QWidget::eventFilter(watched, event);
}

} // namespace assay
