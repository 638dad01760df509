#include "ui/steps/ribbon_delegate.h"

#include "ui/steps/evaluation_ribbon_model.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"
#include "ui/widgets/row_paint.h"

#include <QPainter>

namespace assay {

namespace {

/// Black or white, whichever is easier to read on `ground`.
QColor readableOn(const QColor& ground)
{
    const double light = 0.2126 * ground.redF() + 0.7152 * ground.greenF() + 0.0722 * ground.blueF();
    return light > 0.45 ? QColor(0x10, 0x14, 0x18) : QColor(Qt::white);
}

} // namespace

void RibbonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    const auto* model = qobject_cast<const EvaluationRibbonModel*>(index.model());
    if (!model)
        return;
    painter->save();
    painter->fillRect(option.rect, colors().surface);
    const QRectF cell = QRectF(option.rect).adjusted(1, 3, -1, -3);
    const auto value = model->probability(index);
    paintRewardCell(painter, cell, value, model->threshold());
    if (value && cell.width() > scaled(30)) {
        painter->setFont(numberFont(TextSize::Tick));
        painter->setPen(readableOn(colors().rewardColor(*value, model->threshold())));
        painter->drawText(cell, Qt::AlignCenter, index.data().toString());
    }
    const bool shown = model->track(index.row()).evaluation == model->solution().evaluation;
    if (shown) {
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 2),
                          colors().accent);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom() - 1, option.rect.width(), 2),
                          colors().accent);
    }
    painter->restore();
    if (option.state.testFlag(QStyle::State_Selected))
        paintFocusRing(painter, option.rect);
}

} // namespace assay
