#include "ui/pages/runs_page.h"

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/models/interval_bar.h"
#include "ui/models/run_table_delegate.h"
#include "ui/models/run_table_model.h"
#include "ui/models/run_table_view.h"
#include "ui/number_text.h"
#include "ui/pages/run_details_pane.h"
#include "ui/pages/runs_empty.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/key_legend.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <array>

namespace assay {

namespace {

constexpr int kNarrow = 1200;
constexpr int kDetailsDelayMilliseconds = 80;
constexpr int kLiveDetailsMilliseconds = 1000;
const QString kColumnsKey = QStringLiteral("runs/hiddenColumns");

/// How the interval bars of the table are to be read.
class IntervalLegend : public QWidget
{
public:
    IntervalLegend()
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        setAccessibleName(
            QStringLiteral("Bar: value, 95 % interval, and the base rate or best null baseline as a tick"));
    }
    QSize sizeHint() const override { return {scaled(36), scaled(16)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintIntervalBar(&painter, QRectF(rect()), 0.8, 0.74, 0.9, 0.55);
    }
};

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
    m_stack = new QStackedWidget;
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

QWidget* RunsPage::makeToolbar()
{
    auto* bar = new QWidget;
    m_filter = new FilterLine(
        QStringLiteral("Filter runs, for example: verdict = \"threshold off\" and auroc > 0.8"),
        QStringLiteral("Filter runs"));
    connect(m_filter, &FilterLine::filterChanged, m_model, &RunTableModel::setFilter);
    m_count = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_count->setMinimumWidth(scaled(96));
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* columns = new QPushButton(icon(Icon::Columns), {});
    columns->setToolTip(QStringLiteral("Choose columns"));
    columns->setAccessibleName(QStringLiteral("Choose columns"));
    m_columns = new QMenu(columns);
    connect(columns, &QPushButton::clicked, this,
            [this, columns] { m_columns->popup(columns->mapToGlobal(QPoint(0, columns->height()))); });
    auto* experiment =
        new QPushButton(icon(Icon::Plus, &Palette::onAccent), QStringLiteral("New experiment"));
    experiment->setProperty("assayKind", QStringLiteral("primary"));
    connect(experiment, &QPushButton::clicked, this, &Page::newExperiment);

    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    row->setSpacing(scaled(8));
    row->addWidget(m_filter, 1, Qt::AlignTop);
    row->addWidget(m_count, 0, Qt::AlignTop);
    m_count->setFixedHeight(m_filter->edit()->sizeHint().height());
    row->addWidget(columns, 0, Qt::AlignTop);
    row->addWidget(experiment, 0, Qt::AlignTop);
    fillColumnMenu();
    return bar;
}

QWidget* RunsPage::makeTable()
{
    m_table = new RunTableView;
    m_table->setObjectName(QStringLiteral("runTable"));
    m_table->setAccessibleName(QStringLiteral("Runs"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new RunTableDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(scaled(27));
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(scaled(48));
    header->setSortIndicator(RunTableModel::StartedColumn, Qt::DescendingOrder);
    m_table->setSortingEnabled(true);

    connect(m_table, &QTableView::activated, this,
            [this] { Q_EMIT openRun(QString::fromStdString(m_selected)); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (const RunSummary* run = m_model->row(current.row()))
                    select(run->id);
            });
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, &RunsPage::updateVisibleRows);
    m_table->viewport()->installEventFilter(this);

    auto* nothing = new QWidget;
    auto* nothingColumn = new QVBoxLayout(nothing);
    auto* clear = new QPushButton(QStringLiteral("Clear filter"));
    connect(clear, &QPushButton::clicked, this, [this] { m_filter->setText({}); });
    m_problem = new TextLabel({}, TextSize::Body, &Palette::text2);
    m_problem->setWordWrap(true);
    m_problem->setAlignment(Qt::AlignCenter);
    nothingColumn->addStretch(1);
    nothingColumn->addWidget(m_problem);
    nothingColumn->addWidget(clear, 0, Qt::AlignHCenter);
    nothingColumn->addStretch(2);
    m_tableStack = new QStackedWidget;
    m_tableStack->addWidget(m_table);
    m_tableStack->addWidget(nothing);

    auto* box = new QWidget;
    box->setBackgroundRole(QPalette::Base);
    box->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tableStack, 1);
    column->addWidget(new RuleLine);
    column->addWidget(makeFooter());
    box->setMinimumWidth(scaled(480));
    return box;
}

QWidget* RunsPage::makeFooter()
{
    auto* footer = new QWidget;
    auto* row = new QHBoxLayout(footer);
    row->setContentsMargins(scaled(12), scaled(3), scaled(10), scaled(3));
    row->setSpacing(scaled(14));
    m_selectionText = new TextLabel({}, TextSize::Tick, &Palette::text2);
    m_orderText = new TextLabel({}, TextSize::Tick, &Palette::text2);
    auto* bar =
        new TextLabel(QStringLiteral("value, 95 % interval, and the base rate or best null baseline (tick)"),
                      TextSize::Tick, &Palette::text2);
    bar->setElided(true);
    row->addWidget(m_selectionText);
    row->addWidget(m_orderText);
    row->addWidget(new IntervalLegend);
    row->addWidget(bar, 1);
    row->addWidget(new KeyLegend({{{QStringLiteral("Enter")}, QStringLiteral("open")},
                                  {{QStringLiteral("Ctrl+D")}, QStringLiteral("clone")},
                                  {{QStringLiteral("F4")}, QStringLiteral("details")}}),
                   0);
    return footer;
}

void RunsPage::makeActions(Actions& actions)
{
    const auto clone = [this] {
        if (!m_selected.empty())
            Q_EMIT cloneRun(QString::fromStdString(m_selected));
    };
    actions.addFor(this, QStringLiteral("runs.clone"), QStringLiteral("Clone run"),
                   QKeySequence(Qt::CTRL | Qt::Key_D), clone);
    actions.addFor(this, QStringLiteral("runs.details"), QStringLiteral("Show or hide details"),
                   QKeySequence(Qt::Key_F4), [this] { setDetailsVisible(!m_detailsWanted); });
    actions.addFor(this, QStringLiteral("runs.filter"), QStringLiteral("Filter runs"), QKeySequence::Find,
                   [this] { m_filter->edit()->setFocus(Qt::ShortcutFocusReason); });
    connect(m_details, &RunDetailsPane::openRequested, this,
            [this] { Q_EMIT openRun(QString::fromStdString(m_selected)); });
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
    const int row = m_model->rowOf(m_selected);
    if (row >= 0 && isAlive(*m_model->row(row)))
        m_detailsAlive = true; // it may have been resumed
    if (row >= 0 && m_table->currentIndex().row() != row)
        m_table->setCurrentIndex(m_model->index(row, RunTableModel::NameColumn));
    else if (row < 0 && m_selected.empty() && m_model->row(0))
        m_table->setCurrentIndex(m_model->index(0, RunTableModel::NameColumn));
    m_selectionText->setText(m_selected.empty() ? QStringLiteral("None selected")
                                                : QStringLiteral("1 selected"));
    updateVisibleRows();
}

void RunsPage::select(const RunId& run)
{
    if (run == m_selected)
        return;
    m_selected = run;
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
