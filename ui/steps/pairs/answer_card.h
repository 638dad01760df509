#pragma once

#include "ui/steps/reward_paint.h"
#include "ui/steps/solution.h"

#include <QWidget>

class QScrollArea;

namespace assay {

class TextLabel;

/// One answer of a pair: its label as title and edge, its text, and its reward with the probability that it
/// is the preferred one.
class AnswerCard : public QWidget
{
    Q_OBJECT
public:
    AnswerCard(const QString& title, LabelKind kind, QWidget* parent = nullptr);

    /// `wins`: the model gives this answer the higher reward.
    void setAnswer(const ReadStep& answer, bool wins);
    void setCurrent(bool current);
    bool wins() const { return m_wins; }
    QString rewardText() const;

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QRect headRect() const;
    QRect footRect() const;

    QString m_title;
    LabelKind m_kind;
    QScrollArea* m_area = nullptr;
    TextLabel* m_text = nullptr;
    ReadStep m_answer;
    bool m_wins = false, m_current = false;
};

} // namespace assay
