#include "ui/experiment/preflight_figures.h"

#include "ui/number_text.h"

#include <QObject>

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

template <typename T>
const T* findById(const std::vector<T>& items, std::string_view id)
{
    const auto found =
        std::find_if(items.begin(), items.end(), [id](const T& item) { return item.id == id; });
    return found == items.end() ? nullptr : &*found;
}

/// The number in a cell; columns: 0 = name, 1 = training, 2 = evaluation.
std::optional<double> numberIn(const Table& table, std::string_view rowName, std::size_t column)
{
    for (const auto& row : table.rows) {
        if (row.empty() || row.front() != rowName || column >= row.size())
            continue;
        double value = 0.0;
        const auto& text = row[column];
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code == std::errc() && end == text.data() + text.size())
            return value;
    }
    return std::nullopt;
}

/// The limit and its cost, from the table `truncation`; none without a limit.
std::optional<LengthLimit> limitIn(const Table& table)
{
    const auto tokens = numberIn(table, "limit, tokens", 1);
    if (!tokens)
        return std::nullopt;
    LengthLimit limit;
    limit.tokens = *tokens;
    const auto cut = numberIn(table, "rows cut", 1).value_or(0.0);
    const auto dropped = numberIn(table, "rows dropped", 1).value_or(0.0);
    const auto count = [](double value) { return countText(static_cast<std::int64_t>(value)); };
    if (cut > 0.0)
        limit.rowsLost = dropped == cut ? QObject::tr("%1 rows dropped").arg(count(cut))
                         : dropped > 0.0
                             ? QObject::tr("%1 rows cut, %2 of them dropped").arg(count(cut), count(dropped))
                             : QObject::tr("%1 rows cut").arg(count(cut));
    const auto wrong = numberIn(table, "wrong labels lost, %", 1),
               correct = numberIn(table, "correct labels lost, %", 1);
    if (cut > 0.0 && wrong && correct)
        limit.labelsLost = QObject::tr("lost: %1 of wrong labels, %2 of correct ones")
                               .arg(percentText(*wrong / 100.0, 1), percentText(*correct / 100.0, 1));
    return limit;
}

} // namespace

PreflightFigures preflightFigures(const Report& report)
{
    PreflightFigures figures;
    const Table* drawn = nullptr; // the census, if it is one of steps
    if (const Table* table = findById(report.tables, "label_census");
        table && numberIn(*table, "labelled correct", 1)) {
        drawn = table;
        Census census;
        census.correct = numberIn(*table, "labelled correct", 1).value_or(0.0);
        census.wrong = numberIn(*table, "labelled wrong", 1).value_or(0.0);
        census.unsupervised = numberIn(*table, "without a label", 1).value_or(0.0);
        census.evaluationWrong = numberIn(*table, "labelled wrong", 2);
        census.evaluationSupervised = numberIn(*table, "supervised positions", 2);
        figures.census = census;
        figures.baseRate = numberIn(*table, "share correct", 1).value_or(0.0);
    }
    if (const Curve* curve = findById(report.curves, "base_rate_by_position"))
        figures.rates = curve->y;
    if (const Table* table = findById(report.tables, "base_rate_by_position"))
        for (const auto& row : table->rows)
            figures.counts.push_back(numberIn(*table, row.front(), 1).value_or(0.0));
    if (const Curve* curve = findById(report.curves, "tokens_per_row")) {
        figures.lengthStarts = curve->x;
        figures.lengthRows = curve->y;
    }
    if (const Table* table = findById(report.tables, "truncation"))
        figures.limit = limitIn(*table);
    for (const auto& table : report.tables)
        if (&table != drawn && table.id != "base_rate_by_position" && table.id != "truncation" &&
            table.id != "checks_passed" && !table.rows.empty())
            figures.others.push_back(table);
    return figures;
}

} // namespace assay
