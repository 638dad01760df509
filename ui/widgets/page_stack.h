#pragma once

#include <QStackedWidget>

namespace assay {

/// Pages one over the other, of which only the shown one is laid out. A plain stack asks every page, shown or
/// not, for its height at each new width, and takes the largest: with wrapped text in them that is most of
/// the time that a switch of pages or a pull at the window's edge takes.
class PageStack : public QStackedWidget
{
public:
    using QStackedWidget::QStackedWidget;

    bool hasHeightForWidth() const override { return false; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// Shows another page; in place of QStackedWidget's own, which forbids and allows painting in every
    /// widget of every page, one by one.
    void setCurrentIndex(int index);
};

} // namespace assay
