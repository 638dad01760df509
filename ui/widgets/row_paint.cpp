#include "ui/widgets/row_paint.h"

#include "ui/theme.h"

#include <QAbstractItemView>
#include <QPainter>

namespace assay {

bool viewHasFocus(const QStyleOptionViewItem& option)
{
    return option.widget && option.widget->hasFocus();
}

void paintRowGround(QPainter* painter, const QStyleOptionViewItem& option, bool first, bool line)
{
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    const Palette& palette = colors();
    painter->fillRect(option.rect, selected ? palette.accentSoft : hovered ? palette.hover : palette.surface);
    if (line)
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                          palette.line);
    if (selected && first)
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), scaled(3), option.rect.height()),
                          viewHasFocus(option) ? palette.accent : palette.line2);
}

void paintFocusRing(QPainter* painter, const QRect& rect)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(QPen(colors().accent, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(rect.adjusted(1, 1, -1, -1));
    painter->restore();
}

} // namespace assay
