#include "ui/models/checkpoint_model.h"

#include "ui/number_text.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace assay {

bool CheckpointModel::Row::operator==(const Row& other) const
{
    return checkpoint.record.id == other.checkpoint.record.id && checkpoint.value == other.checkpoint.value &&
           checkpoint.best == other.checkpoint.best && checkpoint.newest == other.checkpoint.newest &&
           evaluation == other.evaluation;
}

CheckpointModel::CheckpointModel(QObject* parent)
    : QAbstractListModel(parent)
{}

void CheckpointModel::setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations)
{
    std::vector<Row> rows;
    for (auto& checkpoint : list.rows) {
        if (checkpoint.superseded)
            continue;
        Row row{std::move(checkpoint), 0};
        for (const auto& evaluation : evaluations)
            if (evaluation.step == row.checkpoint.record.step && row.evaluation == 0)
                row.evaluation = evaluation.id;
        rows.push_back(std::move(row));
    }
    std::reverse(rows.begin(), rows.end());
    const QString metric = QString::fromStdString(list.metricTitle);
    // While a run writes, most refreshes change nothing here: the selection stays where it is.
    if (rows == m_rows && metric == m_metric)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    m_metric = metric;
    endResetModel();
}

const CheckpointRecord* CheckpointModel::at(int row) const
{
    return row >= 0 && row < rowCount() ? &m_rows[static_cast<std::size_t>(row)].checkpoint.record : nullptr;
}

std::int64_t CheckpointModel::evaluationAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)].evaluation : 0;
}

QString CheckpointModel::rule() const
{
    return m_metric.isEmpty() ? QString() : tr("best by %1").arg(m_metric);
}

int CheckpointModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& checkpoint = m_rows[static_cast<std::size_t>(index.row())].checkpoint;
    const auto& record = checkpoint.record;
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(record.at);
    switch (role) {
    case StepRole:
        return tr("step %1").arg(countText(record.step));
    case ValueRole:
        return checkpoint.value ? QStringLiteral("%1 %2").arg(m_metric, metricText(checkpoint.value))
                                : tr("not evaluated");
    case SizeRole:
        return bytesText(record.bytes);
    case TimeRole:
        return at.toString(QStringLiteral("HH:mm:ss"));
    case MarksRole: {
        QStringList marks;
        if (checkpoint.best)
            marks << tr("best");
        if (checkpoint.newest)
            marks << tr("newest");
        if (record.final)
            marks << tr("final");
        return marks.join(QStringLiteral(", "));
    }
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: {
        QStringList parts{data(index, StepRole).toString(), data(index, ValueRole).toString(),
                          data(index, SizeRole).toString(), data(index, MarksRole).toString()};
        parts.removeAll(QString());
        return parts.join(QStringLiteral(", "));
    }
    case Qt::ToolTipRole:
        return QStringLiteral("%1\n%2").arg(QLocale().toString(at, QLocale::ShortFormat),
                                            QString::fromStdString(record.path));
    default:
        return {};
    }
}

} // namespace assay
