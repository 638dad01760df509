#pragma once

#include "ui/steps/solution.h"

#include <QSlider>

#include <vector>

namespace assay {

/// A slider over the evaluations of a run, placed by optimiser step, with a square mark on the one compared
/// with. Its value is the index of the evaluation.
class EvaluationSlider : public QSlider
{
    Q_OBJECT
public:
    explicit EvaluationSlider(QWidget* parent = nullptr);

    /// Optimiser step of every evaluation, oldest first.
    void setSteps(std::vector<std::int64_t> steps);
    void setCompared(int index);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    double xOf(int index) const;
    int nearest(double x) const;

    std::vector<std::int64_t> m_steps;
    int m_compared = -1;
};

} // namespace assay
