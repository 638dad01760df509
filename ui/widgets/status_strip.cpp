#include "ui/widgets/status_strip.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace assay {

namespace {

constexpr int kPadding = 10, kIcon = 14, kGap = 5, kBarWidth = 46, kBarHeight = 6;

QFont plainFont()
{
    QFont font = textFont(TextSize::Tick);
    font.setPixelSize(std::max(font.pixelSize(), textFont(TextSize::Table).pixelSize()));
    return font;
}

} // namespace

StatusStrip::StatusStrip(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(scaled(26));
    setObjectName(QStringLiteral("statusStrip"));
    setAccessibleName(QStringLiteral("Status"));
}

void StatusStrip::setItems(std::vector<StatusItem> items)
{
    m_items = std::move(items);
    QStringList words;
    for (const auto& item : m_items)
        words << QStringList{item.text, item.figure, item.tail}.join(QLatin1Char(' ')).simplified();
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    update();
}

int StatusStrip::itemWidth(const StatusItem& item) const
{
    int width = 2 * scaled(kPadding);
    if (item.icon)
        width += scaled(kIcon + kGap);
    const QFontMetrics plain(plainFont());
    if (!item.text.isEmpty())
        width += plain.horizontalAdvance(item.text) + scaled(kGap);
    if (item.share)
        width += scaled(kBarWidth + kGap);
    if (!item.figure.isEmpty())
        width +=
            QFontMetrics(numberFont(TextSize::Table, true)).horizontalAdvance(item.figure) + scaled(kGap);
    if (!item.tail.isEmpty())
        width += plain.horizontalAdvance(item.tail) + scaled(kGap);
    return width - scaled(kGap);
}

void StatusStrip::paintItem(QPainter& painter, const StatusItem& item, const QRect& rect) const
{
    const Palette& p = colors();
    int x = rect.left() + scaled(kPadding);
    if (item.icon) {
        const int side = scaled(kIcon);
        paintIcon(&painter, QRectF(x, rect.center().y() - side / 2.0 + 0.5, side, side), *item.icon,
                  p.*item.iconRole);
        x += scaled(kIcon + kGap);
    }
    const auto words = [&](const QString& text, const QFont& font, const QColor& color) {
        painter.setFont(font);
        painter.setPen(color);
        const int width = painter.fontMetrics().horizontalAdvance(text);
        painter.drawText(QRect(x, rect.top(), width + 2, rect.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         text);
        x += width + scaled(kGap);
    };
    if (!item.text.isEmpty())
        words(item.text, plainFont(), p.text2);
    if (item.share) {
        QRect bar(x, rect.center().y() - scaled(kBarHeight) / 2 + 1, scaled(kBarWidth), scaled(kBarHeight));
        painter.fillRect(bar, p.line2);
        bar.setWidth(static_cast<int>(bar.width() * std::clamp(*item.share, 0.0, 1.0)));
        painter.fillRect(bar, p.accent);
        x += scaled(kBarWidth + kGap);
    }
    if (!item.figure.isEmpty())
        words(item.figure, numberFont(TextSize::Table, true), p.text);
    if (!item.tail.isEmpty())
        words(item.tail, plainFont(), p.text2);
}

void StatusStrip::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.fillRect(rect(), p.sunken);
    painter.setPen(QPen(p.line2, 0));
    painter.drawLine(rect().topLeft(), rect().topRight());
    m_places.assign(m_items.size(), QRect());
    int right = width();
    // The right end is placed first, from the edge inwards: it says what is running.
    for (std::size_t i = m_items.size(); i-- > 0;) {
        if (!m_items[i].right)
            continue;
        right -= itemWidth(m_items[i]);
        m_places[i] = QRect(right, 1, itemWidth(m_items[i]), height() - 1);
    }
    int left = 0;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (m_items[i].right)
            continue;
        const int width = itemWidth(m_items[i]);
        if (left + width > right)
            break;
        m_places[i] = QRect(left, 1, width, height() - 1);
        left += width;
    }
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (m_places[i].isNull())
            continue;
        paintItem(painter, m_items[i], m_places[i]);
        painter.setPen(QPen(p.line2, 0));
        // A rule stands between two neighbours, not beside the empty middle.
        const int edge = m_places[i].left();
        const bool outermost = m_items[i].right ? edge == right : edge == 0;
        if (!outermost)
            painter.drawLine(edge, scaled(6), edge, height() - scaled(6));
    }
}

bool StatusStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (std::size_t i = 0; i < m_places.size() && i < m_items.size(); ++i) {
            if (m_places[i].contains(help->pos()) && !m_items[i].tooltip.isEmpty()) {
                QToolTip::showText(help->globalPos(), m_items[i].tooltip, this);
                return true;
            }
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace assay
