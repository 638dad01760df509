#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"
#include "ui/models/paged_model.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <optional>

namespace assay {

/// The table of the Runs page: filtered and sorted in SQL, loaded page by page by the given loader (which
/// must not block the calling thread).
class RunTableModel : public PagedModel<RunSummary>
{
    Q_OBJECT
public:
    enum Column {
        StatusColumn,
        NameColumn,
        TaskColumn,
        BackboneColumn,
        DataColumn,
        MetricColumn,
        VerdictColumn,
        DurationColumn,
        TagsColumn,
        StartedColumn,
        ColumnCount
    };

    using Reply = std::function<void(Result<RunPage>)>;
    using Loader = std::function<void(const RunQuery&, Reply)>;

    explicit RunTableModel(Loader loader, QObject* parent = nullptr);

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Sorts in SQL; the rows change when the answer comes.
    void sort(int column, Qt::SortOrder order) override;

    void setFilter(const QString& filter);
    const QString& filter() const { return m_filter; }
    /// Loads the visible rows again; what is shown stays until the answer is there.
    void refresh();

    std::int64_t totalRuns() const { return m_total; }
    bool loadedOnce() const { return m_loadedOnce; }
    /// Why the last answer was refused (a filter that cannot be understood, a store that cannot be read).
    const std::optional<Error>& error() const { return m_error; }
    int sortColumn() const { return m_sortColumn; }
    Qt::SortOrder sortOrder() const { return m_sortOrder; }

    /// Stable id of a column, in settings and in `RunQuery::sortColumn`.
    static const char* columnId(int column);
    static QString columnTitle(int column);

Q_SIGNALS:
    /// Rows, counts or the error changed.
    void loaded();

protected:
    const std::string& idOf(const RunSummary& row) const override { return row.id; }
    void requestRows(int offset, int limit) override;

private:
    RunQuery query(int offset, int limit) const;

    Loader m_loader;
    QString m_filter;
    int m_sortColumn = StartedColumn;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
    std::int64_t m_total = 0;
    std::uint64_t m_generation = 0;
    bool m_loadedOnce = false;
    std::optional<Error> m_error;
};

/// "Running", "Finished", ...: the word of a status in table, details and tooltips.
QString statusWord(RunStatus status);
/// "Running 41 %", "Finished".
QString statusText(const RunSummary& run);
/// "Bal. acc." for the table; other metrics keep their title.
QString shortMetricTitle(const HeadlineMetric& metric);
/// "30 Nov 2026, 12:15" in local time; "–" when unset.
QString timeText(std::int64_t milliseconds);

} // namespace assay
