#include "ui/widgets/segmented_buttons.h"

#include "ui/style_painting.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>

namespace assay {

namespace {

class Segment : public QAbstractButton
{
public:
    Segment(const QString& text, QWidget* parent)
        : QAbstractButton(parent)
    {
        setText(text);
        setCheckable(true);
        setAutoExclusive(true);
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::StrongFocus);
    }

    QSize sizeHint() const override
    {
        return {QFontMetrics(checkedFont()).horizontalAdvance(text()) + scaled(18), scaled(22)};
    }
    void setPlace(bool first, bool last)
    {
        m_first = first;
        m_last = last;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Palette& p = colors();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setClipRect(rect());
        // The outer corners are round, the inner edges straight: draw a box that is wider and let the clip
        // cut it.
        const QRectF box = QRectF(rect()).adjusted(m_first ? 0.5 : -5, 0.5, m_last ? -0.5 : 5, -0.5);
        painter.setPen(QPen(isEnabled() ? p.ctl : p.line2, 1));
        painter.setBrush(isChecked() ? p.accentSoft : underMouse() ? p.hover : p.surface);
        painter.drawRoundedRect(box, 4, 4);
        if (!m_last)
            painter.drawLine(QPointF(width() - 0.5, 0), QPointF(width() - 0.5, height()));
        if (hasFocus())
            painting::focusRing(&painter, QRectF(rect()).adjusted(1, 1, -1, -1), 3);
        painter.setFont(isChecked() ? checkedFont() : textFont(TextSize::Table));
        painter.setPen(!isEnabled() ? p.disabled : isChecked() ? p.accentText : p.text);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }

private:
    static QFont checkedFont()
    {
        QFont font = textFont(TextSize::Table);
        font.setWeight(QFont::DemiBold);
        return font;
    }
    bool m_first = false, m_last = false;
};

} // namespace

SegmentedButtons::SegmentedButtons(const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(name);
}

void SegmentedButtons::addSegment(const QString& text)
{
    auto* segment = new Segment(text, this);
    const int index = static_cast<int>(m_buttons.size());
    segment->setAccessibleName(text);
    connect(segment, &QAbstractButton::clicked, this, [this, index] {
        m_current = index;
        Q_EMIT chosen(index);
    });
    m_layout->addWidget(segment);
    m_buttons.append(segment);
    for (qsizetype i = 0; i < m_buttons.size(); ++i)
        static_cast<Segment*>(m_buttons[i])->setPlace(i == 0, i + 1 == m_buttons.size());
    m_buttons.first()->setChecked(m_current == 0);
}

void SegmentedButtons::setText(int index, const QString& text)
{
    if (m_buttons[index]->text() == text)
        return;
    m_buttons[index]->setText(text);
    m_buttons[index]->setAccessibleName(text);
    m_buttons[index]->updateGeometry();
}

void SegmentedButtons::setCurrent(int index)
{
    m_current = index;
    m_buttons[index]->setChecked(true);
}

} // namespace assay
