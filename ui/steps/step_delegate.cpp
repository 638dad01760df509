#include "ui/steps/step_delegate.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/steps/step_list_model.h"
#include "ui/theme.h"
#include "ui/widgets/row_paint.h"

#include <QAbstractItemView>
#include <QPainter>

#include <algorithm>

namespace assay {

namespace {

const QString kLabelTag = QStringLiteral("first error, label");
const QString kModelTag = QStringLiteral("first error, model");

QFont tagFont()
{
    return textFont(TextSize::Caption);
}

constexpr int kTextFlags = int(Qt::AlignLeft | Qt::AlignVCenter) | int(Qt::TextWordWrap);

int textHeight(const QString& text, int width)
{
    const QFontMetrics metrics(textFont(TextSize::Body));
    return std::max(
        metrics.height(),
        metrics.boundingRect(QRect(0, 0, std::max(40, width), 100000), kTextFlags, text).height());
}

/// Height that the flags under the text need; 0 without flags.
int tagsHeight(const StepListModel& model, int row)
{
    if (!model.isFirstTrueError(row) && !model.isFirstPredictedError(row))
        return 0;
    return static_cast<int>(errorTagSize(tagFont(), kLabelTag).height()) + scaled(3);
}

void paintTags(QPainter* painter, const StepListModel& model, int row, QPoint at)
{
    const auto tag = [&](const QString& text, bool filled) {
        const QSizeF size = errorTagSize(tagFont(), text);
        paintErrorTag(painter, QRectF(at, size), tagFont(), text, filled);
        at.rx() += static_cast<int>(size.width()) + scaled(6);
    };
    if (model.isFirstTrueError(row))
        tag(kLabelTag, true);
    if (model.isFirstPredictedError(row))
        tag(kModelTag, false);
}

} // namespace

StepColumns StepColumns::of(const QRect& row)
{
    StepColumns columns;
    const int edge = scaled(5);
    const int number = scaled(22);
    const int shape = scaled(20);
    const int probability = scaled(52);
    const int bar = std::clamp(row.width() / 4, scaled(70), scaled(176));
    int x = row.left();
    const auto take = [&](int width) {
        const QRect rect(x, row.top(), width, row.height());
        x += width;
        return rect;
    };
    columns.edge = take(edge);
    columns.number = take(number);
    columns.shape = take(shape);
    const int text = std::max(scaled(80), row.right() + 1 - x - bar - probability - scaled(28));
    columns.text = take(text).adjusted(scaled(2), 0, 0, 0);
    x += scaled(14);
    columns.bar = take(bar);
    columns.probability =
        QRect(row.right() + 1 - probability, row.top(), probability - scaled(12), row.height());
    return columns;
}

void StepDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    const auto* model = qobject_cast<const StepListModel*>(index.model());
    if (!model)
        return;
    const ReadStep& step = model->step(index.row());
    const StepColumns columns = StepColumns::of(option.rect);
    const LabelKind kind = labelKind(step.label, step.supervised);
    painter->save();
    paintRowGround(painter, option, false);
    paintLabelEdge(painter, QRectF(columns.edge).adjusted(0, 0, 0, -1), kind);

    painter->setFont(numberFont(TextSize::Table));
    painter->setPen(colors().text2);
    painter->drawText(columns.number, int(Qt::AlignHCenter | Qt::AlignVCenter),
                      QString::number(index.row() + 1));
    paintLabelShape(painter, QRectF(columns.shape).center(), scaled(5), kind);

    const QString text = index.data(Qt::DisplayRole).toString();
    const int tags = tagsHeight(*model, index.row());
    const int height = textHeight(text, columns.text.width());
    const int top = option.rect.top() + (option.rect.height() - height - tags) / 2;
    painter->setFont(textFont(TextSize::Body));
    painter->setPen(colors().text);
    painter->drawText(QRect(columns.text.left(), top, columns.text.width(), height), kTextFlags, text);
    if (tags > 0)
        paintTags(painter, *model, index.row(), {columns.text.left(), top + height + scaled(2)});

    const double barHeight = scaled(14);
    const QRectF bar(columns.bar.left(), option.rect.center().y() - barHeight / 2.0, columns.bar.width(),
                     barHeight);
    paintRewardBar(painter, bar, step.read ? std::optional(step.probability) : std::nullopt,
                   model->threshold());
    painter->setFont(numberFont(TextSize::Body, true));
    painter->setPen(step.read ? colors().text : colors().text3);
    painter->drawText(columns.probability, int(Qt::AlignRight | Qt::AlignVCenter),
                      step.read ? metricText(step.probability, 2) : QStringLiteral("–"));
    painter->restore();
    if (option.state.testFlag(QStyle::State_Selected))
        paintFocusRing(painter, option.rect);
}

QSize StepDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const StepListModel*>(index.model());
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = view ? view->viewport()->width() : option.rect.width();
    if (!model)
        return {width, scaled(46)};
    const StepColumns columns = StepColumns::of(QRect(0, 0, width, 0));
    const int text = textHeight(index.data(Qt::DisplayRole).toString(), columns.text.width());
    return {width, std::max(scaled(46), text + tagsHeight(*model, index.row()) + scaled(13))};
}

} // namespace assay
