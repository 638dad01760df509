#include "ui/models/run_table_view.h"

#include <QHoverEvent>

namespace assay {

RunTableView::RunTableView(QWidget* parent)
    : QTableView(parent)
{
    setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_Hover);
}

bool RunTableView::viewportEvent(QEvent* event)
{
    int row = m_hoveredRow;
    if (event->type() == QEvent::HoverMove || event->type() == QEvent::HoverEnter)
        row = rowAt(static_cast<int>(static_cast<QHoverEvent*>(event)->position().y()));
    else if (event->type() == QEvent::HoverLeave)
        row = -1;
    if (row != m_hoveredRow) {
        m_hoveredRow = row;
        viewport()->update();
    }
    return QTableView::viewportEvent(event);
}

} // namespace assay
