#include "ui/model/ledger_dialog.h"

#include "ui/model/ledger_table.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QDialogButtonBox>
#include <QVBoxLayout>

namespace assay {

LedgerDialog::LedgerDialog(ModelRequests& requests, const RunId& run, const QString& name, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("ledgerDialog"));
    setWindowTitle(tr("Weights of %1").arg(name));
    resize(scaled(760), scaled(520));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(12));
    auto* note = new TextLabel(tr("Reading…"), TextSize::Body, &Palette::text2);
    note->setObjectName(QStringLiteral("ledgerNote"));
    note->setWordWrap(true);
    column->addWidget(note);
    auto* table = new LedgerTable;
    column->addWidget(table, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    requests.ledger(run, this, [note, table](const Result<Ledger>& ledger) {
        note->setText(ledger ? tr("What loading the model did to every tensor when the run began.")
                             : QString::fromStdString(ledger.error().text()));
        table->setVisible(ledger.ok());
        if (ledger)
            table->setLedger(*ledger);
    });
}

} // namespace assay
