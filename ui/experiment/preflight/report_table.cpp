#include "ui/experiment/preflight/report_table.h"

#include "ui/experiment/preflight/caption.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>

namespace assay {

ReportTable::ReportTable(const Table& table, QWidget* parent)
    : QWidget(parent)
{
    const QString title = QString::fromStdString(table.title);
    setAccessibleName(title);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(scaled(16));
    grid->setVerticalSpacing(scaled(3));
    grid->setColumnStretch(0, 1);
    const auto cell = [grid](int row, int column, const std::string& text, TextLabel* label) {
        label->setText(QString::fromStdString(text));
        grid->addWidget(label, row, column, column == 0 ? Qt::AlignLeft : Qt::AlignRight);
    };
    auto* caption = makeCaption(title);
    const bool named = !table.columns.empty() && !table.columns.front().empty();
    grid->addWidget(caption, 0, 0, 1, named ? -1 : 1);
    const int head = named ? 1 : 0;
    for (std::size_t column = named ? 0 : 1; column < table.columns.size(); ++column)
        cell(head, static_cast<int>(column), table.columns[column],
             new TextLabel(QString(), TextSize::Tick, &Palette::text3));
    QStringList words;
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        for (std::size_t column = 0; column < table.rows[row].size(); ++column) {
            auto* label = new TextLabel(QString(), TextSize::Table);
            if (column > 0)
                label->setNumber();
            cell(head + 1 + static_cast<int>(row), static_cast<int>(column), table.rows[row][column], label);
            words << QString::fromStdString(table.rows[row][column]);
        }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
}

} // namespace assay
