#pragma once

#include "ui/steps/solution.h"

#include <QAbstractTableModel>

namespace assay {

/// How the steps of one solution were scored in every evaluation of the run: a row per evaluation (newest
/// first), a column per step.
class EvaluationRibbonModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void setSolution(Solution solution, double threshold);

    const Solution& solution() const { return m_solution; }
    double threshold() const { return m_threshold; }
    const EvaluationTrack& track(int row) const;
    std::optional<double> probability(const QModelIndex& index) const;

private:
    Solution m_solution;
    double m_threshold = 0.5;
};

} // namespace assay
