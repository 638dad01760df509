// How the Runs page is put together: toolbar, table, footer.
#include "ui/icons.h"
#include "ui/models/interval_bar.h"
#include "ui/models/run_table_delegate.h"
#include "ui/models/run_table_model.h"
#include "ui/models/run_table_view.h"
#include "ui/number_text.h"
#include "ui/pages/runs_page.h"
#include "ui/theme.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/key_legend.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

namespace assay {

namespace {

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

} // namespace

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
    row->addWidget(makeFilterMenu(), 0, Qt::AlignTop);
    m_count->setFixedHeight(m_filter->edit()->sizeHint().height());
    row->addWidget(columns, 0, Qt::AlignTop);
    row->addWidget(experiment, 0, Qt::AlignTop);
    fillColumnMenu();
    return bar;
}

QWidget* RunsPage::makeFilterMenu()
{
    auto* button = new QPushButton(icon(Icon::ChevronDown), tr("Filters"));
    button->setObjectName(QStringLiteral("filters"));
    button->setLayoutDirection(Qt::RightToLeft); // the chevron behind the word
    button->setToolTip(tr("Ready-made filters"));
    auto* menu = new QMenu(button);
    for (const auto& [text, filter] :
         {std::pair(tr("All but archived"), QString()),
          std::pair(tr("In progress"), QStringLiteral("status = running or status = paused")),
          std::pair(tr("Can be resumed"),
                    QStringLiteral("status = interrupted or status = stopped or status = failed")),
          std::pair(tr("Archived"), QStringLiteral("archived")),
          std::pair(tr("Deleted"), QStringLiteral("deleted"))})
        connect(menu->addAction(text), &QAction::triggered, this,
                [this, value = filter] { m_filter->setText(value); });
    connect(button, &QPushButton::clicked, this,
            [button, menu] { menu->popup(button->mapToGlobal(QPoint(0, button->height()))); });
    return button;
}

QWidget* RunsPage::makeTable()
{
    m_table = new RunTableView;
    m_table->setObjectName(QStringLiteral("runTable"));
    m_table->setAccessibleName(QStringLiteral("Runs"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new RunTableDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
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
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const auto count = m_table->selectionModel()->selectedRows().size();
        m_selectionText->setText(count == 0 ? QStringLiteral("None selected")
                                            : QStringLiteral("%1 selected").arg(countText(count)));
        Q_EMIT selectionChanged();
    });
    connect(m_table, &QTableView::customContextMenuRequested, this,
            [this](const QPoint& at) { m_runMenu->popup(m_table->viewport()->mapToGlobal(at)); });
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
    m_tableStack = new PageStack;
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
    m_selectionText = new TextLabel(QStringLiteral("None selected"), TextSize::Tick, &Palette::text2);
    m_orderText = new TextLabel({}, TextSize::Tick, &Palette::text2);
    m_barText = new TextLabel({}, TextSize::Tick, &Palette::text2);
    m_barText->setToolTip(
        QStringLiteral("Line: value; block: its 95 % interval; tick: base rate or best null baseline"));
    m_barText->setElided(true);
    row->addWidget(m_selectionText);
    row->addWidget(m_orderText);
    row->addWidget(new IntervalLegend);
    row->addWidget(m_barText, 1);
    row->addWidget(new KeyLegend({{{QStringLiteral("Enter")}, QStringLiteral("open")},
                                  {{QStringLiteral("Ctrl+D")}, QStringLiteral("clone")},
                                  {{QStringLiteral("Del")}, QStringLiteral("delete, with undo")},
                                  {{QStringLiteral("F4")}, QStringLiteral("details")}}),
                   0);
    return footer;
}

} // namespace assay
