#pragma once

#include "core/model/ledger.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace assay {

/// What a load did to every tensor, filtered by words that all must occur in a row.
class LedgerModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { TensorColumn, ActionColumn, DetailColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setLedger(Ledger ledger);
    void setFilter(const QString& text);
    /// "272 loaded, 1 mapped", of all rows; what did not come from the file first.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void applyFilter();

    Ledger m_ledger;
    QStringList m_words;
    std::vector<std::size_t> m_shown;
};

} // namespace assay
