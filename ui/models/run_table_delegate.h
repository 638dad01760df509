#pragma once

#include <QStyledItemDelegate>

namespace assay {

/// Paints every cell of the run table: status with icon, text, metric with its interval bar, badge, tags.
class RunTableDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Width that a column of the run table needs for usual content, in pixels.
int runColumnWidth(int column);

} // namespace assay
