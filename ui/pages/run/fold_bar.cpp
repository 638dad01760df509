#include "ui/pages/run/fold_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace assay {

FoldBar::FoldBar(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_arrow(new QPushButton(this))
{
    setFixedHeight(scaled(30));
    m_arrow->setProperty("assayKind", "quiet");
    m_arrow->setAccessibleName(tr("Show or hide %1").arg(title));
    m_arrow->setToolTip(m_arrow->accessibleName());
    m_arrow->setIcon(icon(Icon::ChevronUp));
    connect(m_arrow, &QPushButton::clicked, this, [this] {
        setOpen(!m_open);
        Q_EMIT toggled(m_open);
    });
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, scaled(12), 0);
    row->addStretch();
    row->addWidget(m_arrow);
}

void FoldBar::setText(const QString& text)
{
    m_text = text;
    setAccessibleName(m_title);
    setAccessibleDescription(text);
    update();
}

void FoldBar::setOpen(bool open)
{
    m_open = open;
    m_arrow->setIcon(icon(open ? Icon::ChevronDown : Icon::ChevronUp));
}

void FoldBar::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.fillRect(rect(), p.surface);
    painter.setPen(QPen(p.line2, 0));
    painter.drawLine(rect().topLeft(), rect().topRight());
    QRect rest = rect().adjusted(scaled(12), 0, -scaled(48), 0);
    painter.setFont(textFont(TextSize::Section));
    painter.setPen(p.text);
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, m_title);
    rest.setLeft(rest.left() + painter.fontMetrics().horizontalAdvance(m_title) + scaled(10));
    painter.setFont(textFont(TextSize::Table));
    painter.setPen(p.text2);
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(m_text, Qt::ElideRight, rest.width()));
}

} // namespace assay
