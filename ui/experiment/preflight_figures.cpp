#include "ui/experiment/preflight_figures.h"

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

} // namespace

PreflightFigures preflightFigures(const Report& report)
{
    PreflightFigures figures;
    if (const Table* table = findById(report.tables, "label_census")) {
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
    return figures;
}

} // namespace assay
