#include "ui/steps/step_list_model.h"

#include "ui/number_text.h"

namespace assay {

QString labelWord(const ReadStep& step)
{
    if (!step.supervised)
        return QStringLiteral("not supervised");
    if (step.label > 0.0 && step.label < 1.0)
        return QStringLiteral("%1 correct").arg(metricText(step.label, 2));
    return step.label < 0.5 ? QStringLiteral("wrong") : QStringLiteral("correct");
}

int StepListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_solution.steps.size());
}

QVariant StepListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const int row = index.row();
    const ReadStep& read = step(row);
    if (role == Qt::DisplayRole)
        return QString::fromStdString(read.text);
    if (role != Qt::AccessibleTextRole)
        return {};
    QString text = QStringLiteral("Step %1, label %2, ").arg(row + 1).arg(labelWord(read));
    text += read.read ? QStringLiteral("probability %1, predicted %2")
                            .arg(metricText(read.probability, 2), read.predictedWrong(m_threshold)
                                                                      ? QStringLiteral("wrong")
                                                                      : QStringLiteral("correct"))
                      : QStringLiteral("not scored");
    if (isFirstTrueError(row))
        text += QStringLiteral(", first error by label");
    if (isFirstPredictedError(row))
        text += QStringLiteral(", first error by model");
    return text + QStringLiteral(". ") + QString::fromStdString(read.text).simplified();
}

void StepListModel::setSolution(Solution solution)
{
    const int before = rowCount();
    const int after = static_cast<int>(solution.steps.size());
    // The same example in another evaluation keeps the current step: only then are the rows the same ones.
    if (solution.example.id == m_solution.example.id && before == after && after > 0) {
        m_solution = std::move(solution);
        findErrors();
        Q_EMIT dataChanged(index(0), index(after - 1));
        return;
    }
    beginResetModel();
    m_solution = std::move(solution);
    findErrors();
    endResetModel();
}

void StepListModel::setThreshold(double threshold)
{
    if (m_threshold == threshold)
        return;
    m_threshold = threshold;
    findErrors();
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

int StepListModel::nextError(int from, int direction) const
{
    for (int row = from + direction; row >= 0 && row < rowCount(); row += direction) {
        const ReadStep& read = step(row);
        if (read.read && read.supervised && read.labelledWrong() != read.predictedWrong(m_threshold))
            return row;
    }
    return -1;
}

void StepListModel::findErrors()
{
    m_firstTrueError = m_solution.firstTrueError();
    m_firstPredictedError = m_solution.firstPredictedError(m_threshold);
}

} // namespace assay
