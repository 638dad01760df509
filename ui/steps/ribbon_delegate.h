#pragma once

#include <QStyledItemDelegate>

namespace assay {

/// A cell of the evaluation ribbons: reward colour, slash below the threshold, probability; the shown
/// evaluation's row is framed.
class RibbonDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace assay
