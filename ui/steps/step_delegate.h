#pragma once

#include <QRect>
#include <QStyledItemDelegate>

namespace assay {

/// Horizontal layout of a step row, shared by the rows and by the header above them.
struct StepColumns
{
    QRect edge, number, shape, text, bar, probability;

    /// Columns of a row that fills `row`; the bar shrinks first when the row is narrow.
    static StepColumns of(const QRect& row);
};

/// A step as a row: label edge and shape, wrapping text with its flags, reward bar and probability.
class StepDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace assay
