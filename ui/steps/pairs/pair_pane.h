#pragma once

#include "ui/steps/solution.h"

#include <QWidget>

#include <array>

class QScrollArea;

namespace assay {

class AnswerCard;
class MarginBar;

/// A pair side by side: chosen and rejected with their text, the reward under each and who wins, and the
/// margin between them on a scale around zero.
class PairPane : public QWidget
{
    Q_OBJECT
public:
    explicit PairPane(QWidget* parent = nullptr);

    void setSolution(const Solution& pair);
    /// 0 = chosen, 1 = rejected; -1 = none.
    void setCurrentSide(int side);
    const std::array<AnswerCard*, 2>& cards() const { return m_cards; }
    MarginBar* marginBar() const { return m_margin; }

Q_SIGNALS:
    void sideChosen(int side);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::array<AnswerCard*, 2> m_cards{};
    MarginBar* m_margin = nullptr;
    int m_side = -1;
};

} // namespace assay
