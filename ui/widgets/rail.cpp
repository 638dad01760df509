#include "ui/widgets/rail.h"

#include "ui/style_painting.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>

namespace assay {

/// One entry of the rail.
class RailButton : public QAbstractButton
{
public:
    RailButton(Icon icon, const QString& text, QWidget* parent)
        : QAbstractButton(parent)
        , m_icon(icon)
    {
        setText(text);
        setAccessibleName(text);
        setCheckable(true);
        setAutoExclusive(true);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
    }

    QSize sizeHint() const override
    {
        return m_compact ? QSize(scaled(52), scaled(44)) : QSize(scaled(78), scaled(56));
    }

    void setCompact(bool compact)
    {
        m_compact = compact;
        updateGeometry();
    }
    void setMarked(bool marked)
    {
        if (std::exchange(m_marked, marked) != marked)
            update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Palette& p = colors();
        QPainter painter(this);
        const QColor fill = isChecked() ? p.surface : underMouse() ? p.hover : p.sunken;
        painter.fillRect(rect(), fill);
        if (isChecked()) {
            painter.fillRect(QRect(0, 0, 3, height()), p.accent);
        } else {
            painter.setPen(QPen(p.line2, 0)); // the rail's edge; the open page has none, it joins its entry
            painter.drawLine(rect().topRight(), rect().bottomRight());
        }
        const QColor ink = isChecked() ? p.accentText : p.text2;
        const int side = scaled(20);
        const int top = m_compact ? (height() - side) / 2 : scaled(10);
        const QRectF iconRect((width() - side) / 2.0, top, side, side);
        paintIcon(&painter, iconRect, m_icon, ink);
        if (m_marked) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(p.accent);
            painter.drawEllipse(iconRect.topRight() + QPointF(scaled(4), scaled(1)), scaled(3), scaled(3));
        }
        if (!m_compact) {
            QFont font = textFont(TextSize::Tick);
            font.setWeight(isChecked() ? QFont::DemiBold : QFont::Normal);
            painter.setFont(font);
            painter.setPen(ink);
            painter.drawText(QRect(0, top + side, width(), height() - top - side - scaled(4)),
                             Qt::AlignHCenter | Qt::AlignVCenter, text());
        }
        if (hasFocus())
            painting::focusRing(&painter, QRectF(rect()).adjusted(3, 1, -1, -1), 2);
    }

private:
    Icon m_icon;
    bool m_compact = false;
    bool m_marked = false;
};

Rail::Rail(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(QStringLiteral("Pages"));
    m_layout->setContentsMargins(0, scaled(4), 0, 0);
    m_layout->setSpacing(0);
    m_layout->addStretch();
    setCompact(false);
}

void Rail::addEntry(Icon icon, const QString& text, const QString& tooltip)
{
    auto* button = new RailButton(icon, text, this);
    button->setToolTip(tooltip);
    button->setObjectName(QStringLiteral("rail.") + text.toLower());
    const int index = static_cast<int>(m_buttons.size());
    connect(button, &QAbstractButton::clicked, this, [this, index] { Q_EMIT chosen(index); });
    m_layout->insertWidget(index, button);
    m_buttons.append(button);
}

void Rail::setCurrent(int index)
{
    m_current = index;
    if (index >= 0 && index < m_buttons.size())
        m_buttons[index]->setChecked(true);
}

void Rail::setMarked(int index, bool marked)
{
    if (index >= 0 && index < m_buttons.size())
        m_buttons[index]->setMarked(marked);
}

void Rail::setCompact(bool compact)
{
    setFixedWidth(scaled(compact ? 52 : 78));
    for (auto* button : m_buttons)
        button->setCompact(compact);
}

void Rail::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), colors().sunken);
    painter.setPen(QPen(colors().line2, 0));
    painter.drawLine(rect().topRight(), rect().bottomRight());
}

} // namespace assay
