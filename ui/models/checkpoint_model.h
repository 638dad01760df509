#pragma once

#include "core/store/checkpoint_list.h"

#include <QAbstractListModel>

namespace assay {

/// The checkpoints of a run, newest first, with the evaluation that was made of each.
class CheckpointModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        StepRole = Qt::UserRole, ///< "step 2,400"
        ValueRole,               ///< "AUROC 0.851", or "not evaluated"
        SizeRole,                ///< "5.7 GiB"
        TimeRole,                ///< "14:41:07"
        MarksRole                ///< "best, newest, final"; may be empty
    };

    explicit CheckpointModel(QObject* parent = nullptr);
    void setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations);
    /// Null for no row.
    const CheckpointRecord* at(int row) const;
    /// Id of an evaluation of the checkpoint's step; 0 = there is none.
    std::int64_t evaluationAt(int row) const;
    /// What the marks go by: "best by AUROC"; empty while nothing is evaluated.
    QString rule() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row
    {
        ListedCheckpoint checkpoint;
        std::int64_t evaluation = 0;
        bool operator==(const Row& other) const;
    };

    QString m_metric; ///< title
    std::vector<Row> m_rows;
};

} // namespace assay
