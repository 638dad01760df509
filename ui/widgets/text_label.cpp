#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

namespace assay {

TextLabel::TextLabel(const QString& text, TextSize size, ColorRole role, QWidget* parent)
    : QLabel(text, parent)
    , m_size(size)
    , m_role(role)
{
    setTextFormat(Qt::PlainText);
    applyFont();
}

void TextLabel::setColorRole(ColorRole role)
{
    m_role = role;
    update();
}

void TextLabel::setElided(bool elided)
{
    m_elided = elided;
    updateGeometry();
    update();
}

void TextLabel::setNumber(bool bold)
{
    m_number = true;
    m_bold = bold;
    applyFont();
}

QSize TextLabel::minimumSizeHint() const
{
    const QSize size = QLabel::minimumSizeHint();
    return m_elided ? QSize(scaled(24), size.height()) : size;
}

// A layout asks again and again for the few widths it tries, and every answer costs the text's shaping.
int TextLabel::heightForWidth(int width) const
{
    constexpr qsizetype kMostWidths = 64;
    if (m_heights.text != text() || m_heights.font != font() || m_heights.wrapped != wordWrap() ||
        m_heights.byWidth.size() >= kMostWidths)
        m_heights = {text(), font(), wordWrap(), {}};
    const auto known = m_heights.byWidth.constFind(width);
    if (known != m_heights.byWidth.cend())
        return *known;
    return *m_heights.byWidth.insert(width, QLabel::heightForWidth(width));
}

void TextLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(font());
    painter.setPen(isEnabled() ? colors().*m_role : colors().disabled);
    const QRect area = contentsRect().adjusted(margin(), margin(), -margin(), -margin());
    QString shown = text();
    if (m_elided)
        shown = QFontMetrics(font()).elidedText(shown, Qt::ElideRight, area.width());
    painter.drawText(area, int(alignment()) | (wordWrap() ? int(Qt::TextWordWrap) : 0), shown);
}

void TextLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange)
        applyFont();
}

void TextLabel::applyFont()
{
    setFont(m_number ? numberFont(m_size, m_bold) : textFont(m_size));
}

IconLabel::IconLabel(Icon id, ColorRole role, int size, QWidget* parent)
    : QWidget(parent)
    , m_icon(id)
    , m_role(role)
    , m_size(size)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void IconLabel::setIcon(Icon id, ColorRole role)
{
    m_icon = id;
    m_role = role;
    update();
}

QSize IconLabel::sizeHint() const
{
    return {scaled(m_size), scaled(m_size)};
}

void IconLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintIcon(&painter, QRectF(rect()), m_icon, colors().*m_role);
}

RuleLine::RuleLine(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(1);
}

void RuleLine::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), colors().line);
}

} // namespace assay
