#include "ui/steps/solution_delegate.h"

#include "ui/number_text.h"
#include "ui/steps/pairs/margin_bar.h"
#include "ui/steps/reward_paint.h"
#include "ui/steps/solution.h"
#include "ui/steps/solution_list_model.h"
#include "ui/theme.h"
#include "ui/widgets/row_paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

QColor tagColor(SolutionTagKind kind)
{
    switch (kind) {
    case SolutionTagKind::Missed:
        return colors().err;
    case SolutionTagKind::FalseAlarm:
        return colors().warn;
    case SolutionTagKind::Found:
        return colors().ok;
    default:
        return colors().text2;
    }
}

QColor outcomeColor(PairOutcome outcome)
{
    if (outcome == PairOutcome::Wrong)
        return colors().err;
    return outcome == PairOutcome::Tie ? colors().warn : colors().ok;
}

/// The second line of a pair: its margin as bar and number, and who wins.
void paintPairLine(QPainter* painter, const QRect& rect, double margin)
{
    const auto outcome = pairOutcome(margin);
    QFont font = textFont(TextSize::Caption);
    font.setWeight(QFont::Normal);
    painter->setFont(font);
    painter->setPen(outcomeColor(outcome));
    painter->drawText(rect, int(Qt::AlignRight | Qt::AlignVCenter), pairOutcomeText(outcome));
    const QFont number = numberFont(TextSize::Caption);
    const int numberWidth = QFontMetrics(number).horizontalAdvance(QStringLiteral("−00.00"));
    const int barWidth = std::min(scaled(110), rect.width() - numberWidth - scaled(56));
    const QRectF bar(rect.left(), rect.center().y() - scaled(5), barWidth, scaled(9));
    // The probability, so that all rows share one scale.
    paintMarginBar(painter, bar, margin == 0.0 ? 0.0 : std::tanh(margin / 2.0), 1.0);
    painter->setFont(number);
    painter->setPen(colors().text2);
    painter->drawText(QRect(rect.left() + barWidth, rect.top(), numberWidth + scaled(8), rect.height()),
                      int(Qt::AlignRight | Qt::AlignVCenter), metricText(margin, 2));
}

} // namespace

void SolutionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    paintRowGround(painter, option, true);
    const auto* model = qobject_cast<const SolutionListModel*>(index.model());
    const SolutionSummary* solution = model ? model->row(index.row()) : nullptr;
    if (!solution) {
        index.data(Qt::DisplayRole); // asks for the page
        return;
    }
    painter->save();
    const QRect area = option.rect.adjusted(scaled(8), scaled(6), -scaled(10), -scaled(5));
    const QFont font = textFont(TextSize::Table);
    const int lineHeight = QFontMetrics(font).height();
    const int ordinalWidth = QFontMetrics(font).horizontalAdvance(QStringLiteral("00,000")) + scaled(4);

    painter->setFont(numberFont(TextSize::Table));
    painter->setPen(colors().text2);
    painter->drawText(QRect(area.left(), area.top(), ordinalWidth - scaled(8), lineHeight),
                      int(Qt::AlignRight | Qt::AlignVCenter), countText(solution->ordinal));
    const QRect right = area.adjusted(ordinalWidth, 0, 0, 0);
    painter->setFont(font);
    painter->setPen(colors().text);
    const QString prompt = index.data(Qt::DisplayRole).toString();
    painter->drawText(QRect(right.left(), right.top(), right.width(), lineHeight),
                      int(Qt::AlignLeft | Qt::AlignVCenter),
                      QFontMetrics(font).elidedText(prompt, Qt::ElideRight, right.width()));

    const QRect lower(right.left(), right.top() + lineHeight + scaled(3), right.width(),
                      area.bottom() - right.top() - lineHeight - scaled(2));
    if (solution->margin) {
        paintPairLine(painter, lower, *solution->margin);
        painter->restore();
        if (option.state.testFlag(QStyle::State_HasFocus) && viewHasFocus(option))
            paintFocusRing(painter, option.rect);
        return;
    }
    const auto tag = solutionTag(solution->firstTrueError, solution->firstPredictedError);
    const QFont small = textFont(TextSize::Caption);
    QFont tagFont = small;
    tagFont.setWeight(QFont::Normal);
    const int tagWidth = QFontMetrics(tagFont).horizontalAdvance(tag.text()) + scaled(8);
    painter->setFont(tagFont);
    painter->setPen(tagColor(tag.kind));
    painter->drawText(lower, int(Qt::AlignRight | Qt::AlignVCenter), tag.text());
    paintRibbon(painter, QRectF(lower.adjusted(0, 0, -tagWidth, 0)), *solution, model->threshold());
    painter->restore();
    if (option.state.testFlag(QStyle::State_HasFocus) && viewHasFocus(option))
        paintFocusRing(painter, option.rect);
}

QSize SolutionDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {scaled(200), scaled(54)};
}

} // namespace assay
