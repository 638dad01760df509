#pragma once

#include <QStyledItemDelegate>

namespace assay {

/// A row of the solution list: ordinal, beginning of the prompt, ribbon and tag.
class SolutionDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace assay
