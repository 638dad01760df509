#pragma once

#include "ui/steps/solution.h"

#include <QWidget>

namespace assay {

/// Step probability over the steps of one solution: the shown evaluation, an earlier one to compare with, the
/// threshold, labels as marker shapes, and a flag for the first error of label (filled) and model (outlined).
class RewardCurve : public QWidget
{
    Q_OBJECT
public:
    explicit RewardCurve(QWidget* parent = nullptr);

    /// `compared` is an evaluation id, 0 = none.
    void setSolution(Solution solution, double threshold, std::int64_t compared);
    void setCurrentStep(int step);
    int currentStep() const { return m_current; }
    /// Values that are drawn for the shown and for the compared evaluation.
    std::vector<std::optional<double>> shownValues() const;
    std::vector<std::optional<double>> comparedValues() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void stepClicked(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QRectF plotRect() const;
    double xOf(int step) const;
    double yOf(double value) const;
    void paintLegend(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    /// Whether the curves are farther from the threshold at the last step than at the first.
    bool endIsFreer() const;
    void paintLine(QPainter& painter, const std::vector<std::optional<double>>& values,
                   const QPen& pen) const;
    void paintMarks(QPainter& painter) const;
    const EvaluationTrack* track(std::int64_t evaluation) const;

    Solution m_solution;
    double m_threshold = 0.5;
    std::int64_t m_compared = 0;
    int m_current = -1;
};

} // namespace assay
