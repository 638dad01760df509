#pragma once

#include <QWidget>

#include <optional>

class QPainter;

namespace assay {

/// Who wins by a margin: "wrong" below zero, "tie" at zero.
enum class PairOutcome { Right, Tie, Wrong };
PairOutcome pairOutcome(double margin);
/// "right", "tie", "wrong".
QString pairOutcomeText(PairOutcome outcome);

/// A margin as a bar from zero in the middle of `rect`, right (chosen wins) or left and hatched; a tie is a
/// ring on the middle. `reach`: margin at the ends of the scale.
void paintMarginBar(QPainter* painter, const QRectF& rect, double margin, double reach);
/// A scale that holds the margin: 1, 2, 5, 10, ...
double marginReach(double margin);

/// The margin of a pair on its scale, with the probability that chosen is preferred.
class MarginBar : public QWidget
{
    Q_OBJECT
public:
    explicit MarginBar(QWidget* parent = nullptr);
    void setMargin(std::optional<double> margin);
    /// "+1.20, chosen wins"
    QString summary() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<double> m_margin;
};

} // namespace assay
