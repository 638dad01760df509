#include "ui/steps/pairs/pair_pane.h"

#include "ui/steps/pairs/answer_card.h"
#include "ui/steps/pairs/margin_bar.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>

namespace assay {

PairPane::PairPane(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Pair"));
    auto* sides = new QHBoxLayout;
    sides->setContentsMargins(scaled(14), scaled(10), scaled(14), scaled(10));
    sides->setSpacing(scaled(12));
    for (int side = 0; side < 2; ++side) {
        auto* card = new AnswerCard(side == 0 ? QStringLiteral("Chosen") : QStringLiteral("Rejected"),
                                    side == 0 ? LabelKind::Correct : LabelKind::Wrong);
        m_cards[static_cast<std::size_t>(side)] = card;
        sides->addWidget(card, 1);
        connect(card, &AnswerCard::clicked, this, [this, side] { Q_EMIT sideChosen(side); });
    }
    m_margin = new MarginBar;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(sides, 1);
    column->addWidget(new RuleLine);
    column->addWidget(m_margin);
}

void PairPane::setSolution(const Solution& pair)
{
    const auto margin = pair.pairMargin();
    for (std::size_t side = 0; side < 2; ++side) {
        const bool there = side < pair.steps.size();
        const bool wins = margin && (side == 0 ? *margin > 0.0 : *margin < 0.0);
        m_cards[side]->setAnswer(there ? pair.steps[side] : ReadStep{}, wins);
    }
    m_margin->setMargin(margin);
}

void PairPane::setCurrentSide(int side)
{
    m_side = side;
    for (int i = 0; i < 2; ++i)
        m_cards[static_cast<std::size_t>(i)]->setCurrent(i == side);
}

void PairPane::keyPressEvent(QKeyEvent* event)
{
    const bool first = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    const bool second = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    if (first || second)
        Q_EMIT sideChosen(first ? 0 : 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace assay
