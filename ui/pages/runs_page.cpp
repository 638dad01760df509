#include "ui/pages/runs_page.h"

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/models/run_table_delegate.h"
#include "ui/models/run_table_model.h"
#include "ui/number_text.h"
#include "ui/pages/run_details_pane.h"
#include "ui/pages/runs_empty.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace assay {

namespace {

constexpr int kNarrow = 1200;
constexpr int kDetailsDelayMilliseconds = 80;
constexpr int kLiveDetailsMilliseconds = 1000;
const QString kColumnsKey = QStringLiteral("runs/hiddenColumns");

bool isAlive(const RunSummary& run)
{
    return run.status == RunStatus::Running || run.status == RunStatus::Paused;
}

QString orderText(const RunTableModel& model)
{
    const bool descending = model.sortOrder() == Qt::DescendingOrder;
    if (model.sortColumn() == RunTableModel::StartedColumn)
        return descending ? QStringLiteral("Newest first") : QStringLiteral("Oldest first");
    return QStringLiteral("By %1, %2")
        .arg(RunTableModel::columnTitle(model.sortColumn()).toLower(),
             descending ? QStringLiteral("descending") : QStringLiteral("ascending"));
}

} // namespace

RunsPage::RunsPage(StoreSource& store, UiSettings& settings, Actions& actions, QWidget* parent)
    : Page(parent)
    , m_store(store)
    , m_settings(settings)
{
    m_model = new RunTableModel(
        [this](const RunQuery& query, RunTableModel::Reply reply) {
            m_store.query(
                m_model, [query](const RunReader& reader) { return reader.runs(query); }, std::move(reply));
        },
        this);
    m_details = new RunDetailsPane;
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setObjectName(QStringLiteral("runsSplitter"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(makeTable());
    m_splitter->addWidget(m_details);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);

    auto* empty = new RunsEmpty(QString::fromStdString(store.place().folder.string()));
    connect(empty, &RunsEmpty::demoRequested, this, &Page::runDemo);
    connect(empty, &RunsEmpty::experimentRequested, this, &Page::newExperiment);
    m_stack = new PageStack;
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(empty);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addWidget(m_stack, 1);
    makeActions(actions);

    m_detailsTimer.setSingleShot(true);
    connect(&m_detailsTimer, &QTimer::timeout, this, &RunsPage::loadDetails);
    connect(m_model, &RunTableModel::loaded, this, &RunsPage::onLoaded);
    connect(&m_store, &StoreSource::changed, this, [this] {
        m_dirty = true;
        if (isVisible())
            refresh();
    });
    m_model->refresh();
    m_dirty = false;
}

RunsPage::~RunsPage() = default;

void RunsPage::makeActions(Actions& actions)
{
    const auto clone = [this] {
        if (!m_selected.empty())
            Q_EMIT cloneRun(QString::fromStdString(m_selected));
    };
    const auto open = [this] { Q_EMIT openRun(QString::fromStdString(m_selected)); };
    m_runMenu = new QMenu(this);
    m_runMenu->addAction(icon(Icon::Run), tr("Open"), this, open);
    m_runMenu->addAction(icon(Icon::Copy), tr("Clone"), this, clone);
    m_runMenu->addSeparator();
    actions.addFor(this, QStringLiteral("runs.clone"), QStringLiteral("Clone run"),
                   QKeySequence(Qt::CTRL | Qt::Key_D), clone);
    actions.addFor(this, QStringLiteral("runs.details"), QStringLiteral("Show or hide details"),
                   QKeySequence(Qt::Key_F4), [this] { setDetailsVisible(!m_detailsWanted); });
    actions.addFor(this, QStringLiteral("runs.filter"), QStringLiteral("Filter runs"), QKeySequence::Find,
                   [this] { m_filter->edit()->setFocus(Qt::ShortcutFocusReason); });
    connect(m_details, &RunDetailsPane::openRequested, this, open);
    connect(m_details, &RunDetailsPane::cloneRequested, this, clone);
    connect(m_details, &RunDetailsPane::resumeRequested, this,
            [this] { Q_EMIT resumeRun(QString::fromStdString(m_selected)); });
    connect(m_details, &RunDetailsPane::closeRequested, this, [this] { setDetailsVisible(false); });
}

void RunsPage::fillColumnMenu()
{
    const QStringList hidden =
        m_settings.text(kColumnsKey, QStringLiteral("created")).split(QLatin1Char(','));
    for (int column = 0; column < RunTableModel::ColumnCount; ++column) {
        if (column == RunTableModel::NameColumn)
            continue;
        auto* action = m_columns->addAction(RunTableModel::columnTitle(column));
        action->setCheckable(true);
        action->setChecked(!hidden.contains(QLatin1String(RunTableModel::columnId(column))));
        action->setData(column);
        connect(action, &QAction::toggled, this, [this] {
            QStringList ids;
            for (const QAction* entry : m_columns->actions())
                if (!entry->isChecked())
                    ids << QLatin1String(RunTableModel::columnId(entry->data().toInt()));
            m_settings.setText(kColumnsKey, ids.join(QLatin1Char(',')));
            arrangeColumns();
        });
    }
}

void RunsPage::activate()
{
    refresh();
    if (!isAncestorOf(focusWidget()))
        m_table->setFocus();
}

void RunsPage::refresh()
{
    if (!m_dirty)
        return;
    m_dirty = false;
    m_model->refresh();
    // Only a run that is alive changes; once a second is enough for small plots.
    if (m_detailsAlive && !m_detailsTimer.isActive())
        m_detailsTimer.start(kLiveDetailsMilliseconds);
}

void RunsPage::showRun(const QString& run, qint64)
{
    select(run.toStdString());
    onLoaded();
}

bool RunsPage::ready() const
{
    return (m_model->loadedOnce() || m_model->error().has_value()) && m_detailsOf == m_selected;
}

void RunsPage::onLoaded()
{
    const auto& error = m_model->error();
    const bool filterError = error && error->code == ErrorCode::Usage;
    // A store that is not there yet is an empty one: the first run creates it.
    const bool noStore = error && error->code == ErrorCode::NotFound;
    m_filter->setError(filterError ? error : std::nullopt);
    m_stack->setCurrentIndex(noStore || (m_model->loadedOnce() && m_model->totalRuns() == 0) ? 1 : 0);
    if (error && !filterError && !noStore)
        m_problem->setText(QString::fromStdString(error->text()));
    else if (m_model->rowCount() == 0)
        m_problem->setText(QStringLiteral("No run matches the filter."));
    m_tableStack->setCurrentIndex(m_model->rowCount() == 0 ? 1 : 0);
    const auto total = m_model->totalRuns();
    const QString noun = total == 1 ? QStringLiteral("run") : QStringLiteral("runs");
    m_count->setText(
        total == 0
            ? QStringLiteral("0 runs")
            : QStringLiteral("%1 of %2 %3").arg(countText(m_model->rowCount()), countText(total), noun));
    m_orderText->setText(orderText(*m_model));
    keepSelection();
    Q_EMIT selectionChanged();
    updateVisibleRows();
}

void RunsPage::keepSelection()
{
    int row = m_model->rowOf(m_selected);
    if (row >= 0 && isAlive(*m_model->row(row)))
        m_detailsAlive = true; // it may have been resumed
    // Archived or deleted, not filtered away: the next one takes its place.
    const bool left =
        m_selectedRow >= 0 && m_model->filter() == m_shownFilter && m_model->rowCount() < m_rows;
    if (row < 0 && (m_selected.empty() || left))
        row = std::min(std::max(0, m_selectedRow), m_model->rowCount() - 1);
    if (row >= 0 && m_model->row(row) && m_table->currentIndex().row() != row)
        m_table->setCurrentIndex(m_model->index(row, RunTableModel::NameColumn));
    m_selectedRow = m_table->currentIndex().row();
    m_rows = m_model->rowCount();
    m_shownFilter = m_model->filter();
}

std::vector<RunSummary> RunsPage::selectedRuns() const
{
    std::vector<RunSummary> runs;
    for (const auto& index : m_table->selectionModel()->selectedRows())
        if (const RunSummary* run = m_model->row(index.row()))
            runs.push_back(*run);
    return runs;
}

void RunsPage::setRunActions(const QList<QAction*>& actions)
{
    m_runMenu->addActions(actions);
    m_details->setMenu(m_runMenu);
}

void RunsPage::select(const RunId& run)
{
    if (run == m_selected)
        return;
    m_selected = run;
    m_selectedRow = m_model->rowOf(run);
    m_detailsTimer.start(kDetailsDelayMilliseconds);
}

void RunsPage::loadDetails()
{
    if (m_selected.empty() || m_detailsPending)
        return;
    m_detailsPending = true;
    m_store.query(
        this, [run = m_selected](const RunReader& reader) { return readRunOverview(reader, run); },
        [this, run = m_selected](Result<RunOverview> overview) {
            m_detailsPending = false;
            if (run != m_selected) {
                loadDetails();
                return;
            }
            m_detailsOf = run;
            if (!overview.ok()) {
                m_details->clear();
                return;
            }
            m_detailsAlive = isAlive(overview->details.summary);
            m_details->showRun(*overview);
        });
}

void RunsPage::setDetailsVisible(bool visible)
{
    m_detailsWanted = visible;
    m_details->setVisible(visible);
    arrangeColumns();
}

void RunsPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

bool RunsPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && watched == m_table->viewport()) {
        arrangeColumns();
        updateVisibleRows();
    }
    return Page::eventFilter(watched, event);
}

void RunsPage::arrange()
{
    const bool narrow = window()->width() < scaled(kNarrow);
    const auto orientation = narrow ? Qt::Vertical : Qt::Horizontal;
    m_barText->setText(narrow ? tr("95 % interval, baseline tick")
                              : tr("value, 95 % interval, and the base rate or best null baseline (tick)"));
    if (m_splitter->orientation() != orientation || m_splitter->sizes().value(1) == 0) {
        m_splitter->setOrientation(orientation);
        m_details->setMinimumSize(narrow ? 0 : scaled(300), narrow ? scaled(180) : 0);
        m_splitter->setSizes(narrow ? QList<int>{height() - scaled(300), scaled(250)}
                                    : QList<int>{width() - scaled(344), scaled(344)});
    }
}

void RunsPage::arrangeColumns()
{
    std::array<bool, RunTableModel::ColumnCount> shown{};
    shown[RunTableModel::NameColumn] = true;
    for (const QAction* entry : m_columns->actions())
        shown[static_cast<std::size_t>(entry->data().toInt())] = entry->isChecked();
    const int available = m_table->viewport()->width();
    const auto needed = [&shown] {
        int sum = 0;
        for (int column = 0; column < RunTableModel::ColumnCount; ++column)
            sum += shown[static_cast<std::size_t>(column)] ? runColumnWidth(column) : 0;
        return sum;
    };
    for (const int column : {RunTableModel::TagsColumn, RunTableModel::DurationColumn,
                             RunTableModel::DataColumn, RunTableModel::BackboneColumn}) {
        if (needed() <= available)
            break;
        shown[static_cast<std::size_t>(column)] = false;
    }
    const int slack = std::max(0, available - needed());
    for (int column = 0; column < RunTableModel::ColumnCount; ++column) {
        const int extra = column == RunTableModel::NameColumn ? slack * 2 / 5
                          : column == RunTableModel::BackboneColumn || column == RunTableModel::DataColumn
                              ? slack / 5
                              : 0;
        m_table->setColumnHidden(column, !shown[static_cast<std::size_t>(column)]);
        m_table->setColumnWidth(column, runColumnWidth(column) + extra);
    }
}

void RunsPage::updateVisibleRows()
{
    const int first = m_table->rowAt(0);
    const int last = m_table->rowAt(m_table->viewport()->height() - 1);
    m_model->setVisibleRows(std::max(0, first), last >= 0 ? last : std::max(0, first) + 60);
}

} // namespace assay
