#include "ui/model/ledger_table.h"

#include "ui/model/ledger_model.h"
#include "ui/theme.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

namespace assay {

LedgerTable::LedgerTable(QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    auto* heading = new QHBoxLayout;
    heading->addWidget(new TextLabel(tr("Ledger"), TextSize::Section));
    m_summary = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_summary->setObjectName(QStringLiteral("ledgerSummary"));
    heading->addWidget(m_summary);
    heading->addStretch(1);
    column->addLayout(heading);
    m_filter = new FilterLine(tr("Filter tensors, for example: initialised score"), tr("Filter tensors"));
    column->addWidget(m_filter);
    m_model = new LedgerModel(this);
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("ledgerTable"));
    m_table->setAccessibleName(tr("Ledger: what the load did to every tensor"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(scaled(27));
    auto* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(true);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->resizeSection(LedgerModel::TensorColumn, scaled(360));
    header->resizeSection(LedgerModel::ActionColumn, scaled(120));
    column->addWidget(m_table, 1);
    connect(m_filter, &FilterLine::filterChanged, m_model, &LedgerModel::setFilter);
}

void LedgerTable::setLedger(const Ledger& ledger)
{
    m_model->setLedger(ledger);
    m_summary->setText(m_model->summary());
}

} // namespace assay
