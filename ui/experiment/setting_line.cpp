#include "ui/experiment/setting_line.h"

#include "ui/theme.h"

#include <QPainter>
#include <QStyleOptionFrame>

namespace assay {

namespace {

constexpr int kPadding = 4; ///< beside the 2 px that a line edit leaves by itself

} // namespace

SettingLine::SettingLine(Qt::TextElideMode elide, QWidget* parent)
    : QLineEdit(parent)
    , m_elide(elide)
{
    setTextMargins(scaled(kPadding), 0, scaled(kPadding), 0);
    connect(this, &QLineEdit::textChanged, this, &SettingLine::updateToolTip);
}

int SettingLine::textWidth() const
{
    return width() - 2 * scaled(kPadding) - 8; // frame and margin of a line edit
}

QString SettingLine::shownText() const
{
    return hasFocus() ? text() : fontMetrics().elidedText(text(), m_elide, textWidth());
}

void SettingLine::updateToolTip()
{
    const bool cut = fontMetrics().horizontalAdvance(text()) > textWidth();
    setToolTip(cut ? text() : QString()); // without one, the row says what the setting means
}

void SettingLine::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    updateToolTip();
}

void SettingLine::paintEvent(QPaintEvent* event)
{
    const QString shown = shownText();
    if (shown == text()) {
        QLineEdit::paintEvent(event);
        return;
    }
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::Text));
    const int side = scaled(kPadding) + 4;
    painter.drawText(rect().adjusted(side, 0, -side, 0), Qt::AlignVCenter | Qt::AlignLeft, shown);
}

} // namespace assay
