#pragma once

#include "ui/steps/solution.h"

#include <QAbstractListModel>

namespace assay {

/// The steps of one solution, a row each; painted by StepDelegate, read aloud through the accessible text.
class StepListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    void setSolution(Solution solution);
    void setThreshold(double threshold);

    const Solution& solution() const { return m_solution; }
    const ReadStep& step(int row) const { return m_solution.steps.at(static_cast<std::size_t>(row)); }
    double threshold() const { return m_threshold; }
    bool isFirstTrueError(int row) const { return row >= 0 && row == m_firstTrueError; }
    bool isFirstPredictedError(int row) const { return row >= 0 && row == m_firstPredictedError; }
    /// The next (direction 1) or previous (-1) step whose prediction and label disagree; -1 if there is none.
    int nextError(int from, int direction) const;

private:
    void findErrors();

    Solution m_solution;
    double m_threshold = 0.5;
    int m_firstTrueError = -1, m_firstPredictedError = -1;
};

/// "correct", "wrong", "0.75 correct" (soft) or "not supervised".
QString labelWord(const ReadStep& step);

} // namespace assay
