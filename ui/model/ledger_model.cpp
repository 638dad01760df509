#include "ui/model/ledger_model.h"

#include "ui/number_text.h"
#include "ui/theme.h"

#include <algorithm>
#include <array>
#include <map>

namespace assay {

namespace {

/// Actions that a reader looks for come first.
constexpr std::array kOrder{"initialised", "unused", "transposed", "mapped", "loaded"};

QString cell(const LedgerEntry& entry, int column)
{
    switch (column) {
    case LedgerModel::TensorColumn:
        return QString::fromStdString(entry.tensor);
    case LedgerModel::ActionColumn:
        return QString::fromStdString(entry.action);
    default:
        return QString::fromStdString(entry.detail);
    }
}

} // namespace

void LedgerModel::setLedger(Ledger ledger)
{
    beginResetModel();
    m_ledger = std::move(ledger);
    applyFilter();
    endResetModel();
}

void LedgerModel::setFilter(const QString& text)
{
    beginResetModel();
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    applyFilter();
    endResetModel();
}

void LedgerModel::applyFilter()
{
    m_shown.clear();
    for (std::size_t i = 0; i < m_ledger.size(); ++i) {
        const auto& entry = m_ledger[i];
        const bool all = std::all_of(m_words.begin(), m_words.end(), [&entry](const QString& word) {
            for (int column = 0; column < ColumnCount; ++column)
                if (cell(entry, column).contains(word, Qt::CaseInsensitive))
                    return true;
            return false;
        });
        if (all)
            m_shown.push_back(i);
    }
}

QString LedgerModel::summary() const
{
    std::map<std::string, int> counts;
    for (const auto& entry : m_ledger)
        ++counts[entry.action];
    QStringList parts;
    for (const char* action : kOrder)
        if (const auto found = counts.find(action); found != counts.end())
            parts << QStringLiteral("%1 %2").arg(countText(found->second), QString::fromLatin1(action));
    return parts.join(QStringLiteral(", "));
}

int LedgerModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int LedgerModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LedgerModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& entry = m_ledger[m_shown[static_cast<std::size_t>(index.row())]];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return cell(entry, index.column());
    case Qt::FontRole:
        return index.column() == TensorColumn ? QVariant(codeFont(TextSize::Table))
                                              : QVariant(textFont(TextSize::Table));
    case Qt::ForegroundRole:
        if (index.column() == ActionColumn && entry.action == "initialised")
            return colors().warn;
        return index.column() == DetailColumn ? colors().text2 : colors().text;
    default:
        return {};
    }
}

QVariant LedgerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const std::array titles{tr("Tensor"), tr("What happened"), tr("Type, shape, reason")};
    return titles.at(static_cast<std::size_t>(section));
}

} // namespace assay
