#include "ui/models/run_table_model.h"

#include "ui/number_text.h"

#include <QDateTime>
#include <QLocale>
#include <QPointer>

#include <array>

namespace assay {

namespace {

struct ColumnInfo
{
    const char* id;
    const char* title;
};

constexpr std::array<ColumnInfo, RunTableModel::ColumnCount> kColumns = {{
    {"status", "Status"},
    {"name", "Name"},
    {"task", "Task"},
    {"backbone", "Backbone"},
    {"data", "Data"},
    {"metric", "Headline metric"},
    {"verdict", "Verdict"},
    {"duration", "Duration"},
    {"tags", "Tags"},
    {"created", "Started"},
}};

QString tagsText(const RunSummary& run)
{
    QStringList tags;
    for (const auto& tag : run.tags)
        tags << QString::fromStdString(tag);
    return tags.join(QStringLiteral(", "));
}

QString metricCellText(const RunSummary& run)
{
    if (!run.headline)
        return QStringLiteral("–");
    const auto& metric = *run.headline;
    QString text = shortMetricTitle(metric) + QLatin1Char(' ') + metricText(metric.value);
    if (metric.low && metric.high)
        text += QStringLiteral(" %1–%2").arg(metricText(metric.low), metricText(metric.high));
    return text;
}

QString metricDescription(const RunSummary& run)
{
    if (!run.headline)
        return QStringLiteral("no metric yet");
    const auto& metric = *run.headline;
    QString text = QString::fromStdString(metric.title) + QLatin1Char(' ') + metricText(metric.value);
    if (metric.low && metric.high)
        text += QStringLiteral(", 95 % interval ") + intervalText(metric.low, metric.high);
    if (metric.baseline)
        text += QStringLiteral(", baseline ") + metricText(metric.baseline);
    return text;
}

QString cellText(const RunSummary& run, int column)
{
    switch (column) {
    case RunTableModel::StatusColumn:
        return statusText(run);
    case RunTableModel::NameColumn:
        return QString::fromStdString(run.name);
    case RunTableModel::TaskColumn:
        return QString::fromStdString(run.task);
    case RunTableModel::BackboneColumn:
        return QString::fromStdString(run.backbone);
    case RunTableModel::DataColumn:
        return QString::fromStdString(run.data);
    case RunTableModel::MetricColumn:
        return metricCellText(run);
    case RunTableModel::VerdictColumn:
        return run.verdictBadge.empty() ? QStringLiteral("–") : QString::fromStdString(run.verdictBadge);
    case RunTableModel::DurationColumn:
        return run.seconds > 0.0 ? durationText(run.seconds) : QStringLiteral("–");
    case RunTableModel::TagsColumn:
        return tagsText(run);
    case RunTableModel::StartedColumn:
        return timeText(run.startedAt != 0 ? run.startedAt : run.createdAt);
    default:
        return {};
    }
}

QString cellToolTip(const RunSummary& run, int column)
{
    switch (column) {
    case RunTableModel::StatusColumn:
        return run.errorText.empty() ? statusText(run) : QString::fromStdString(run.errorText);
    case RunTableModel::MetricColumn:
        return metricDescription(run);
    case RunTableModel::VerdictColumn:
        return QString::fromStdString(run.verdictSentence);
    default:
        return cellText(run, column);
    }
}

} // namespace

QString statusWord(RunStatus status)
{
    switch (status) {
    case RunStatus::Running:
        return QStringLiteral("Running");
    case RunStatus::Paused:
        return QStringLiteral("Paused");
    case RunStatus::Finished:
        return QStringLiteral("Finished");
    case RunStatus::Stopped:
        return QStringLiteral("Stopped");
    case RunStatus::Failed:
        return QStringLiteral("Failed");
    case RunStatus::Interrupted:
        return QStringLiteral("Interrupted");
    }
    return {};
}

QString statusText(const RunSummary& run)
{
    const bool alive = run.status == RunStatus::Running || run.status == RunStatus::Paused;
    if (!alive || run.plannedSteps <= 0)
        return statusWord(run.status);
    const double share = static_cast<double>(run.step) / static_cast<double>(run.plannedSteps);
    return statusWord(run.status) + QLatin1Char(' ') + percentText(share);
}

QString shortMetricTitle(const HeadlineMetric& metric)
{
    if (metric.id == "balanced_accuracy")
        return QStringLiteral("Bal. acc.");
    if (metric.id == "pair_accuracy")
        return QStringLiteral("Pair acc.");
    if (metric.id == "first_error_f1")
        return QStringLiteral("First F1");
    return QString::fromStdString(metric.title);
}

QString timeText(std::int64_t milliseconds)
{
    if (milliseconds == 0)
        return QStringLiteral("–");
    return QLocale(QLocale::English)
        .toString(QDateTime::fromMSecsSinceEpoch(milliseconds), QStringLiteral("d MMM yyyy, HH:mm"));
}

RunTableModel::RunTableModel(Loader loader, QObject* parent)
    : PagedModel(parent)
    , m_loader(std::move(loader))
{}

const char* RunTableModel::columnId(int column)
{
    return kColumns.at(static_cast<std::size_t>(column)).id;
}

QString RunTableModel::columnTitle(int column)
{
    return QString::fromLatin1(kColumns.at(static_cast<std::size_t>(column)).title);
}

int RunTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return index.column() == DurationColumn ? int(Qt::AlignRight | Qt::AlignVCenter)
                                                : int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    const RunSummary* run = wantedRow(index.row());
    if (!run)
        return {};
    if (role == Qt::ToolTipRole)
        return cellToolTip(*run, index.column());
    if (role == Qt::AccessibleTextRole && index.column() == MetricColumn)
        return metricDescription(*run);
    return cellText(*run, index.column());
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return columnTitle(section);
    if (role == Qt::TextAlignmentRole)
        return section == DurationColumn ? int(Qt::AlignRight | Qt::AlignVCenter)
                                         : int(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

void RunTableModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= ColumnCount || (column == m_sortColumn && order == m_sortOrder))
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    refresh();
}

void RunTableModel::setFilter(const QString& filter)
{
    if (filter == m_filter)
        return;
    m_filter = filter;
    setVisibleRows(0, 0);
    refresh();
}

RunQuery RunTableModel::query(int offset, int limit) const
{
    RunQuery query;
    query.filter = m_filter.toStdString();
    query.sortColumn = columnId(m_sortColumn);
    query.descending = m_sortOrder == Qt::DescendingOrder;
    query.offset = offset;
    query.limit = limit;
    return query;
}

void RunTableModel::refresh()
{
    const auto [offset, limit] = refreshRange();
    const auto generation = ++m_generation;
    m_loader(query(offset, limit), [self = QPointer(this), generation, first = offset](Result<RunPage> page) {
        if (!self || generation != self->m_generation)
            return;
        if (page.ok()) {
            self->m_error.reset();
            self->m_total = page->total;
            self->m_loadedOnce = true;
            self->adopt(first, std::move(page->rows), static_cast<int>(page->matching));
        } else {
            self->m_error = page.error();
        }
        Q_EMIT self->loaded();
    });
}

void RunTableModel::requestRows(int offset, int limit)
{
    m_loader(query(offset, limit),
             [self = QPointer(this), generation = m_generation, offset](Result<RunPage> page) {
                 if (self && page.ok() && generation == self->m_generation)
                     self->addRows(offset, std::move(page->rows));
             });
}

} // namespace assay
