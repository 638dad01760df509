#include "ui/steps/solution_list_pane.h"

#include "ui/number_text.h"
#include "ui/steps/solution_delegate.h"
#include "ui/theme.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/flow_row.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/text_label.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

#include <array>
#include <span>

namespace assay {

namespace {

struct Subset
{
    const char* id;
    const char* title;
    const char* tip;
};

constexpr std::array<Subset, 5> kSubsets = {{
    {"all", "All", "Every solution of the evaluation"},
    {"disagreements", "Disagreements", "At least one step is predicted otherwise than labelled"},
    {"false-positives", "False positives", "A step labelled wrong is predicted correct"},
    {"false-alarms", "False alarms", "A step labelled correct is predicted wrong"},
    {"confident-errors", "Confident errors",
     "A step is predicted otherwise than labelled with great confidence"},
}};

constexpr std::array<Subset, 5> kPairSubsets = {{
    {"all", "All", "Every pair of the evaluation"},
    {"wrong-pairs", "Wrong pairs", "Rejected gets the higher reward"},
    {"ties", "Ties", "Both answers get the same reward"},
    {"confident-errors", "Confident errors", "Rejected is preferred with a probability of 0.9 or more"},
    {"chosen-longer", "Chosen longer", "The chosen answer has more characters than the rejected one"},
}};

using Order = std::pair<const char*, const char*>;
constexpr std::array<Order, 3> kOrders = {{
    {"largest-error", "Largest error first"},
    {"file-order", "File order"},
    {"first-error", "Earliest first error"},
}};
constexpr std::array<Order, 5> kPairOrders = {{
    {"lowest-margin", "Most wrong first"},
    {"closest", "Smallest margin first"},
    {"highest-margin", "Largest margin first"},
    {"longest-chosen", "Longest chosen first"},
    {"file-order", "File order"},
}};

const std::array<Subset, 5>& subsetsOf(bool pairs)
{
    return pairs ? kPairSubsets : kSubsets;
}

QString placeholder(bool pairs)
{
    return pairs ? QStringLiteral("margin < -1 and prompt ~ how")
                 : QStringLiteral("steps where label = 0 and p > 0.9");
}

constexpr int kDelayMilliseconds = 120;

} // namespace

SolutionListPane::SolutionListPane(SolutionListModel::Loader loader, QWidget* parent)
    : QWidget(parent)
{
    m_model = new SolutionListModel(std::move(loader), this);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_list = new QListView;
    m_list->setObjectName(QStringLiteral("solutionList"));
    m_list->setAccessibleName(QStringLiteral("Solutions"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new SolutionDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                if (const auto* solution = m_model->row(current.row()))
                    choose(solution->exampleId);
            });
    connect(m_list->verticalScrollBar(), &QScrollBar::valueChanged, this,
            &SolutionListPane::updateVisibleRows);

    auto* nothing = new QWidget;
    auto* nothingColumn = new QVBoxLayout(nothing);
    m_problem = new TextLabel({}, TextSize::Body, &Palette::text2);
    m_problem->setWordWrap(true);
    m_problem->setAlignment(Qt::AlignCenter);
    auto* clear = new QPushButton(QStringLiteral("Clear filter"));
    connect(clear, &QPushButton::clicked, this, [this] {
        m_filter->setText({});
        setSubset(0);
    });
    nothingColumn->addStretch(1);
    nothingColumn->addWidget(m_problem);
    nothingColumn->addWidget(clear, 0, Qt::AlignHCenter);
    nothingColumn->addStretch(3);
    m_stack = new PageStack;
    m_stack->addWidget(m_list);
    m_stack->addWidget(nothing);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(new RuleLine);
    column->addWidget(m_stack, 1);

    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, [this] { m_model->setQuery(m_query); });
    connect(m_model, &SolutionListModel::loaded, this, &SolutionListPane::onLoaded);
}

QWidget* SolutionListPane::makeHead()
{
    auto* head = new QWidget;
    m_filter = new FilterLine(placeholder(false), QStringLiteral("Filter solutions"));
    connect(m_filter, &FilterLine::filterChanged, this, [this](const QString& text) {
        m_query.filter = text.toStdString();
        ask(true);
    });
    m_chips = new FlowRow;
    auto* group = new QButtonGroup(this);
    for (const auto& subset : kSubsets) {
        auto* chip = new QPushButton(QLatin1String(subset.title));
        chip->setCheckable(true);
        chip->setProperty("small", true);
        chip->setToolTip(QLatin1String(subset.tip));
        group->addButton(chip, static_cast<int>(m_chipButtons.size()));
        m_chipButtons.push_back(chip);
        m_chips->add(chip);
    }
    m_chipButtons.front()->setChecked(true);
    connect(group, &QButtonGroup::idClicked, this, &SolutionListPane::setSubset);

    m_count = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_count->setElided(true);
    m_order = new QComboBox;
    m_order->setAccessibleName(QStringLiteral("Order"));
    m_order->setProperty("small", true);
    fillOrders();
    connect(m_order, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_query.sort = m_order->itemData(index).toString().toStdString();
        ask(true);
    });
    auto* line = new QHBoxLayout;
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_count, 1);
    line->addWidget(m_order);

    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(scaled(10), scaled(9), scaled(10), scaled(6));
    column->setSpacing(scaled(8));
    column->addWidget(m_filter);
    column->addWidget(m_chips);
    column->addLayout(line);
    return head;
}

void SolutionListPane::fillOrders()
{
    const QSignalBlocker blocked(m_order);
    m_order->clear();
    const auto orders = m_query.pairs ? std::span<const Order>(kPairOrders) : std::span<const Order>(kOrders);
    for (const auto& [id, title] : orders)
        m_order->addItem(QLatin1String(title), QLatin1String(id));
    m_query.sort = orders.front().first;
}

void SolutionListPane::setPairs(bool pairs)
{
    if (m_query.pairs == pairs)
        return;
    m_query.pairs = pairs;
    fillOrders();
    m_filter->setText({});
    m_filter->edit()->setPlaceholderText(placeholder(pairs));
    m_filter->edit()->setAccessibleName(pairs ? QStringLiteral("Filter pairs")
                                              : QStringLiteral("Filter solutions"));
    for (std::size_t i = 0; i < m_chipButtons.size(); ++i)
        m_chipButtons[i]->setToolTip(QLatin1String(subsetsOf(pairs)[i].tip));
    m_subset = 0;
    m_chipButtons.front()->setChecked(true);
    m_query.subset = subsetsOf(pairs).front().id;
    m_list->setAccessibleName(pairs ? QStringLiteral("Pairs") : QStringLiteral("Solutions"));
    updateTexts();
    ask(true);
}

void SolutionListPane::setEvaluation(std::int64_t evaluation, double threshold)
{
    if (m_query.evaluation == evaluation && m_query.threshold == threshold)
        return;
    const bool first = m_query.evaluation == 0;
    m_query.evaluation = evaluation;
    m_query.threshold = threshold;
    if (evaluation == 0) {
        m_delay.stop();
        m_chosen.clear();
        m_model->clear();
        return;
    }
    ask(first);
}

void SolutionListPane::ask(bool mayMove)
{
    m_mayMove = m_mayMove || mayMove;
    if (m_query.evaluation != 0)
        m_delay.start();
}

void SolutionListPane::setSubset(int index)
{
    if (index < 0 || index >= static_cast<int>(kSubsets.size()) || index == m_subset)
        return;
    m_subset = index;
    m_chipButtons[static_cast<std::size_t>(index)]->setChecked(true);
    m_query.subset = subsetsOf(m_query.pairs)[static_cast<std::size_t>(index)].id;
    ask(true);
}

void SolutionListPane::toggleDisagreements()
{
    setSubset(m_subset == 1 ? 0 : 1);
}

void SolutionListPane::choose(const std::string& exampleId)
{
    if (exampleId.empty() || exampleId == m_chosen)
        return;
    m_chosen = exampleId;
    if (const int row = m_model->rowOf(exampleId); row >= 0 && m_list->currentIndex().row() != row)
        m_list->setCurrentIndex(m_model->index(row, 0));
    updateTexts();
    Q_EMIT solutionChosen(QString::fromStdString(exampleId));
}

bool SolutionListPane::step(int direction)
{
    const int current = m_model->rowOf(m_chosen);
    return go(current < 0 ? 0 : current + direction);
}

bool SolutionListPane::stepToWrongPair(int direction)
{
    // Rows that are not loaded end the search; scrolling there loads them.
    int row = m_model->rowOf(m_chosen) + direction;
    for (const auto* pair = m_model->row(row); pair && pair->margin.value_or(1.0) > 0.0;
         pair = m_model->row(row))
        row += direction;
    return go(row);
}

bool SolutionListPane::go(int row)
{
    if (row < 0 || row >= m_model->rowCount())
        return false;
    m_list->setCurrentIndex(m_model->index(row, 0));
    m_list->scrollTo(m_model->index(row, 0));
    return m_model->row(row) != nullptr;
}

void SolutionListPane::onLoaded()
{
    const auto& error = m_model->error();
    const bool filterError = error && error->code == ErrorCode::Usage;
    m_filter->setError(filterError ? error : std::nullopt);
    if (error && !filterError)
        m_problem->setText(QString::fromStdString(error->text()));
    else
        m_problem->setText((m_query.pairs ? QStringLiteral("No pair ") : QStringLiteral("No solution ")) +
                           (m_query.filter.empty() ? QStringLiteral("in this subset.")
                                                   : QStringLiteral("matches the filter.")));
    m_stack->setCurrentIndex(m_model->rowCount() == 0 && m_model->loadedOnce() ? 1 : 0);
    const int row = m_model->rowOf(m_chosen);
    if (row >= 0) {
        if (m_list->currentIndex().row() != row)
            m_list->setCurrentIndex(m_model->index(row, 0));
    } else if (m_mayMove && m_model->row(0)) {
        m_list->scrollToTop();
        m_list->setCurrentIndex(m_model->index(0, 0));
    } else {
        m_list->setCurrentIndex({});
    }
    // While a run writes an evaluation, its rows come after it: the first of them is still to be chosen.
    m_mayMove = m_mayMove && m_chosen.empty() && m_model->rowCount() == 0;
    updateTexts();
    updateVisibleRows();
}

void SolutionListPane::updateTexts()
{
    const auto& counts = m_model->subsetCounts();
    for (std::size_t i = 0; i < m_chipButtons.size(); ++i) {
        const QString title = QLatin1String(subsetsOf(m_query.pairs)[i].title);
        m_chipButtons[i]->setText(i < counts.size() ? title + QStringLiteral("  ") + countText(counts[i])
                                                    : title);
    }
    m_chips->rearrange();
    const QString total = countText(m_model->rowCount());
    // Beside the order there is no room for the noun on a narrow pane.
    const QString one = m_query.pairs ? QStringLiteral(" pair") : QStringLiteral(" solution");
    const QString noun = width() < scaled(280)      ? QString()
                         : m_model->rowCount() == 1 ? one
                                                    : one + QLatin1Char('s');
    const int row = m_model->rowOf(m_chosen);
    m_count->setText((row >= 0 ? QStringLiteral("%1 of %2").arg(countText(row + 1), total) : total) + noun);
}

void SolutionListPane::updateVisibleRows()
{
    const int first = m_list->indexAt(QPoint(4, 4)).row();
    const int last = m_list->indexAt(QPoint(4, m_list->viewport()->height() - 4)).row();
    m_model->setVisibleRows(std::max(0, first), last >= 0 ? last : std::max(0, first) + 40);
}

} // namespace assay
