#include "ui/widgets/page_stack.h"

namespace assay {

QSize PageStack::sizeHint() const
{
    return currentWidget() != nullptr ? currentWidget()->sizeHint() : QSize();
}

// Of all pages, so that a switch never makes the window larger.
QSize PageStack::minimumSizeHint() const
{
    QSize size;
    for (int i = 0; i < count(); ++i)
        size = size.expandedTo(widget(i)->minimumSizeHint());
    return size;
}

void PageStack::setCurrentIndex(int index)
{
    // Only this widget's own mark: what the pages ask to be painted meanwhile comes after this call anyway.
    const bool enabled = updatesEnabled();
    setAttribute(Qt::WA_UpdatesDisabled);
    QStackedWidget::setCurrentIndex(index);
    setAttribute(Qt::WA_UpdatesDisabled, !enabled);
    if (enabled)
        update();
}

} // namespace assay
