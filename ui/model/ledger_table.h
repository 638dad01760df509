#pragma once

#include "core/model/ledger.h"

#include <QWidget>

class QTableView;

namespace assay {

class FilterLine;
class LedgerModel;
class TextLabel;

/// A ledger as a table with a filter and a count of every fate.
class LedgerTable : public QWidget
{
    Q_OBJECT
public:
    explicit LedgerTable(QWidget* parent = nullptr);
    void setLedger(const Ledger& ledger);

private:
    LedgerModel* m_model = nullptr;
    TextLabel* m_summary = nullptr;
    FilterLine* m_filter = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace assay
