#pragma once

#include <QStyleOptionViewItem>

class QPainter;

namespace assay {

/// Ground of a row in a list or table: hover, selection with its bar at the left (grey without focus), row
/// line. `first` and `last` say which end of the row this cell is.
void paintRowGround(QPainter* painter, const QStyleOptionViewItem& option, bool first, bool line = true);
/// The accent ring inside a focused current cell or row.
void paintFocusRing(QPainter* painter, const QRect& rect);
/// Whether the view itself (not just its window) has the keyboard.
bool viewHasFocus(const QStyleOptionViewItem& option);

} // namespace assay
