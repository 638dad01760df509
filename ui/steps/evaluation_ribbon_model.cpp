#include "ui/steps/evaluation_ribbon_model.h"

#include "ui/number_text.h"
#include "ui/steps/step_list_model.h"

namespace assay {

int EvaluationRibbonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_solution.tracks.size());
}

int EvaluationRibbonModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_solution.steps.size());
}

const EvaluationTrack& EvaluationRibbonModel::track(int row) const
{
    return m_solution.tracks.at(m_solution.tracks.size() - 1 - static_cast<std::size_t>(row));
}

std::optional<double> EvaluationRibbonModel::probability(const QModelIndex& index) const
{
    if (!index.isValid())
        return std::nullopt;
    return track(index.row()).probabilities.at(static_cast<std::size_t>(index.column()));
}

QVariant EvaluationRibbonModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto value = probability(index);
    if (role == Qt::DisplayRole)
        return metricText(value, 2);
    if (role != Qt::AccessibleTextRole && role != Qt::ToolTipRole)
        return {};
    const auto& step = m_solution.steps.at(static_cast<std::size_t>(index.column()));
    const QString place = QStringLiteral("%1 at optimiser step %2: ")
                              .arg(m_solution.stepName(index.column()), countText(track(index.row()).step));
    if (!value)
        return QString(place + QStringLiteral("not scored"));
    if (m_solution.pair)
        return QString(place + QStringLiteral("preferred with probability ") + metricText(value, 2));
    return QString(place +
                   QStringLiteral("probability %1, %2 the threshold, label %3")
                       .arg(metricText(value, 2),
                            *value < m_threshold ? QStringLiteral("below") : QStringLiteral("not below"),
                            labelWord(step)));
}

QVariant EvaluationRibbonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal)
        return m_solution.pair ? QVariant(m_solution.stepName(section)) : QVariant(section + 1);
    return section < rowCount() ? countText(track(section).step) : QString();
}

void EvaluationRibbonModel::setSolution(Solution solution, double threshold)
{
    // The same cells with another evaluation in focus or another threshold: the current cell stays.
    const bool same = solution.example.id == m_solution.example.id && rowCount() > 0 && columnCount() > 0 &&
                      solution.tracks.size() == m_solution.tracks.size() &&
                      solution.steps.size() == m_solution.steps.size();
    if (!same)
        beginResetModel();
    m_solution = std::move(solution);
    m_threshold = threshold;
    if (!same)
        endResetModel();
    else
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

} // namespace assay
