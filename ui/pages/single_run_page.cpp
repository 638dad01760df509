#include "ui/pages/single_run_page.h"

#include "ui/actions.h"
#include "ui/number_text.h"
#include "ui/pages/run/checkpoint_pane.h"
#include "ui/pages/run/event_pane.h"
#include "ui/pages/run/fold_bar.h"
#include "ui/pages/run/read_out_pane.h"
#include "ui/pages/run/run_header.h"
#include "ui/pages/run/run_plots.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/page_stack.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kNarrowBelow = 1112;     ///< of the page; the window's 1200 less the rail
constexpr int kZoomMilliseconds = 120; ///< wait for the wheel to come to rest before the store is asked
constexpr int kEvaluationsEvery = 12;  ///< refreshes; evaluations made by other commands log no event

} // namespace

SingleRunPage::SingleRunPage(StoreSource& source, RunController& controller, Actions& actions,
                             QWidget* parent)
    : Page(parent)
    , m_source(source)
    , m_controller(controller)
{
    setObjectName(QStringLiteral("page.run"));
    buildLayout(actions);
    connectParts();
    arrange();
}

void SingleRunPage::buildLayout(Actions& actions)
{
    m_header = new RunHeader(actions);
    m_verdict = new Banner;
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_trouble = new Banner;
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_copyTrouble = m_trouble->addAction(tr("Copy details"), Icon::Copy, false);
    m_plots = new RunPlots;
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("Plots"));
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(m_plots);
    m_scroll->setMinimumHeight(scaled(160));
    m_readOut = new ReadOutPane;
    m_events = new EventPane;
    m_rows = new QSplitter(Qt::Vertical);
    m_rows->setObjectName(QStringLiteral("run.rows"));
    m_rows->setChildrenCollapsible(false);
    m_rows->addWidget(m_scroll);
    m_rows->addWidget(m_events);
    m_rows->setStretchFactor(0, 1);
    m_rows->setSizes({scaled(520), scaled(180)});
    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->setObjectName(QStringLiteral("run.columns"));
    m_columns->setChildrenCollapsible(false);
    m_columns->addWidget(m_rows);
    m_columns->addWidget(m_readOut);
    m_columns->setStretchFactor(0, 1);
    m_columns->setSizes({scaled(1042), scaled(318)});
    m_eventBar = new FoldBar(tr("Events"));
    m_readOutBar = new FoldBar(tr("Read-out"));

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_trouble);
    column->addWidget(m_verdict);
    column->addWidget(m_columns, 1);
    column->addWidget(m_eventBar);
    column->addWidget(m_readOutBar);
    m_empty = new EmptyState(
        tr("No run yet"),
        tr("A run appears here as soon as one has been started, in this window or by the command line."));
    auto* start = m_empty->addAction(tr("New experiment"), Icon::Plus, true);
    connect(start, &QPushButton::clicked, this, &Page::newExperiment);
    m_stack = new PageStack;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_showSteps = m_verdict->addAction(tr("Show these steps"), Icon::Steps, true);
    m_showSteps->setObjectName(QStringLiteral("verdict.steps"));
    connect(m_showSteps, &QPushButton::clicked, this, [this] {
        Q_EMIT openSteps(QString::fromStdString(m_shown),
                         m_evaluations.empty() ? 0 : m_evaluations.back().id);
    });
}

void SingleRunPage::connectParts()
{
    connect(&m_source, &StoreSource::changed, this, &SingleRunPage::refresh);
    connect(m_header, &RunHeader::controlAsked, this,
            [this](Control control) { m_controller.postControl(m_shown, control); });
    connect(m_header, &RunHeader::resumeAsked, this,
            [this] { Q_EMIT resumeRun(QString::fromStdString(m_shown)); });
    connect(m_header, &RunHeader::cloneAsked, this,
            [this] { Q_EMIT cloneRun(QString::fromStdString(m_shown)); });
    connect(m_header, &RunHeader::stepsAsked, this,
            [this] { Q_EMIT openSteps(QString::fromStdString(m_shown), 0); });
    connect(m_header, &RunHeader::openNewestAsked, this, [this] { Q_EMIT openRun({}); });
    connect(&m_controller, &RunController::controlFailed, this,
            [this](const RunId& run, const QString& message) {
                if (run == m_shown)
                    notice(tr("The run did not get the command."), message);
            });
    connect(&m_controller, &RunController::runFailed, this, [this](const RunId& run, const Error& error) {
        if (run.empty() || run == m_shown)
            notice(tr("The run could not be started."), QString::fromStdString(error.text()));
    });
    connect(m_copyTrouble, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_trouble->sentence() + QLatin1Char('\n') +
                                              m_trouble->accessibleDescription());
    });
    connect(m_plots, &RunPlots::cursorMoved, this, &SingleRunPage::moveCursor);
    connect(m_readOut, &ReadOutPane::cursorChosen, this, [this](double step) {
        m_plots->setCursorStep(step);
        moveCursor(step);
    });
    connect(m_readOut, &ReadOutPane::optionsChanged, this, [this](const CurveOptions& options) {
        m_plots->setOptions(options);
        redraw();
        refresh();
    });
    auto& checkpoints = m_events->checkpoints();
    connect(&checkpoints, &CheckpointPane::evaluateAsked, this,
            [this](qint64 step) { m_controller.evaluate(m_shown, step); });
    connect(&checkpoints, &CheckpointPane::stepsAsked, this,
            [this](qint64 evaluation) { Q_EMIT openSteps(QString::fromStdString(m_shown), evaluation); });
    connect(&checkpoints, &CheckpointPane::exportAsked, this,
            [this](qint64 step) { Q_EMIT exportModel(QString::fromStdString(m_shown), step); });
    connect(&checkpoints, &CheckpointPane::startAsked, this,
            [this](qint64 step) { Q_EMIT startFrom(QString::fromStdString(m_shown), step); });
    m_zoomTimer.setSingleShot(true);
    m_zoomTimer.setInterval(kZoomMilliseconds);
    connect(&m_zoomTimer, &QTimer::timeout, this, &SingleRunPage::refresh);
    connect(m_plots, &RunPlots::zoomChanged, &m_zoomTimer, qOverload<>(&QTimer::start));
    connect(m_eventBar, &FoldBar::toggled, m_events, &QWidget::setVisible);
    connect(m_readOutBar, &FoldBar::toggled, m_readOut, &QWidget::setVisible);
}

QString SingleRunPage::title() const
{
    return m_loaded && !m_shown.empty() ? QString::fromStdString(m_snapshot.details.summary.name) : tr("Run");
}

void SingleRunPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale || !m_loaded)
        refresh();
}

void SingleRunPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_stale = true;
}

void SingleRunPage::showRun(const QString& run, qint64)
{
    m_wanted = run.toStdString();
    m_loaded = false;
    m_stale = true;
    refresh();
}

bool SingleRunPage::ready() const
{
    return m_loaded && !m_asked;
}

std::vector<RunSummary> SingleRunPage::selectedRuns() const
{
    if (!m_loaded || m_shown.empty())
        return {};
    return {m_snapshot.details.summary};
}

void SingleRunPage::setRunActions(const QList<QAction*>& actions)
{
    m_header->addMenuActions(actions);
}

void SingleRunPage::refresh()
{
    if (!isVisible()) {
        m_stale = true;
        return;
    }
    if (m_asked) {
        m_again = true;
        return;
    }
    m_asked = true;
    m_again = false;
    RunRequest request;
    request.run = m_wanted;
    std::tie(request.fromStep, request.toStep) = m_plots->visibleSteps();
    const bool same = m_wanted.empty() || m_wanted == m_shown;
    if (same && m_loaded && ++m_sinceEvaluations < kEvaluationsEvery)
        request.knownEvent = m_snapshot.newestEvent();
    request.wantClock = m_plots->options().axis != XAxis::Step;
    request.clockStep = same ? m_plots->clock().lastStep() : 0;
    m_source.query(
        this, [request](const RunReader& store) { return readRun(store, request); },
        [this](Result<RunSnapshot> result) { apply(std::move(result)); });
}

void SingleRunPage::apply(Result<RunSnapshot> result)
{
    m_asked = false;
    m_stale = false;
    if (!result.ok()) {
        showFailure(result.error());
    } else if (!m_wanted.empty() && result->details.summary.id != m_wanted) {
        m_again = true; // another run was asked for meanwhile
    } else {
        const bool other = result->details.summary.id != m_shown;
        const bool clockGrew = !result->clock.empty();
        m_snapshot = std::move(result).value();
        if (other) {
            // The newest run was followed and a newer one began, or the user chose another.
            m_shown = m_snapshot.details.summary.id;
            m_plots->clear();
            m_cursorChosen = false;
            m_noticeSentence.clear();
            if (!m_snapshot.evaluations)
                m_again = true;
        }
        if (m_snapshot.evaluations) {
            m_evaluations = std::move(*m_snapshot.evaluations);
            m_snapshot.evaluations.reset();
            m_sinceEvaluations = 0;
        }
        m_loaded = true;
        m_stack->setCurrentIndex(1);
        m_header->setRun(m_snapshot);
        showVerdict();
        redraw();
        m_events->setEvents(m_snapshot.events);
        m_events->setCheckpoints(
            listCheckpoints(m_snapshot.checkpoints,
                            m_snapshot.config ? m_snapshot.config->checkpoint : CheckpointConfig{},
                            m_evaluations),
            m_evaluations);
        updateBars();
        // The clock comes in pieces: ask on until nothing new comes.
        m_again = m_again || (clockGrew && m_plots->options().axis != XAxis::Step);
    }
    Q_EMIT selectionChanged();
    if (m_again)
        refresh();
}

void SingleRunPage::showFailure(const Error& error)
{
    m_loaded = true;
    m_shown.clear();
    m_header->clear();
    m_stack->setCurrentIndex(0);
    if (error.code == ErrorCode::NotFound)
        m_empty->setText(tr("No run yet"),
                         m_wanted.empty()
                             ? tr("A run appears here as soon as one has been started, in this window or by "
                                  "the command line.")
                             : tr("There is no run %1 in this store.").arg(QString::fromStdString(m_wanted)));
    else
        m_empty->setText(tr("The store cannot be read"), QString::fromStdString(error.text()));
}

void SingleRunPage::showVerdict()
{
    const auto& summary = m_snapshot.details.summary;
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    if (summary.status == RunStatus::Failed)
        m_trouble->show({{}, Icon::Error, Tone::Err}, tr("The run failed."), text(summary.errorText));
    else if (summary.status == RunStatus::Interrupted)
        m_trouble->show({{}, Icon::Resume, Tone::Warn}, tr("The run was interrupted: its process is gone."),
                        tr("Everything up to step %1 is kept. It can be resumed from its newest checkpoint.")
                            .arg(countText(summary.step)));
    else if (summary.deleted && m_noticeSentence.isEmpty())
        m_trouble->show(
            {{}, Icon::Trash, Tone::Warn}, tr("This run is deleted."),
            tr("It is hidden from the list; its rows and files are still there. Restoring it is in the "
               "Edit menu."));
    else
        m_trouble->show({{}, Icon::Error, Tone::Err}, m_noticeSentence, m_noticeText);
    m_copyTrouble->setVisible(summary.status == RunStatus::Failed || !m_noticeSentence.isEmpty());
    m_verdict->show(verdictLook(text(summary.verdictId), text(summary.verdictBadge)),
                    text(summary.verdictSentence), text(summary.verdictEvidence));
    m_verdict->setDetails(text(summary.verdictRemedy));
    m_showSteps->setText(summary.task == "Pairs" ? tr("Show these pairs") : tr("Show these steps"));
}

void SingleRunPage::notice(const QString& sentence, const QString& text)
{
    m_noticeSentence = sentence;
    m_noticeText = text;
    if (m_loaded && !m_shown.empty())
        showVerdict();
}

void SingleRunPage::redraw()
{
    if (!m_loaded || m_shown.empty())
        return;
    if (!m_cursorChosen && !m_evaluations.empty())
        m_plots->setCursorStep(static_cast<double>(m_evaluations.back().step));
    m_plots->setRun(m_snapshot, m_evaluations);
    m_readOut->setRun(m_snapshot, m_evaluations);
    if (const auto step = m_plots->cursorStep())
        m_readOut->setCursorStep(*step);
}

void SingleRunPage::moveCursor(double step)
{
    m_cursorChosen = true;
    m_readOut->setCursorStep(step);
    updateBars();
}

void SingleRunPage::updateBars()
{
    const auto index = m_events->model().index(0, 0);
    m_eventBar->setText(index.isValid()
                            ? QStringLiteral("%1   %2").arg(index.data(EventModel::TimeRole).toString(),
                                                            index.data().toString())
                            : tr("nothing logged yet"));
    const double step = m_readOut->model().cursorStep();
    m_readOutBar->setText(
        step < 0.0
            ? m_readOut->model().line()
            : tr("step %1:   %2").arg(countText(static_cast<std::int64_t>(step)), m_readOut->model().line()));
}

void SingleRunPage::arrange()
{
    const bool narrow = width() < scaled(kNarrowBelow);
    m_plots->setColumns(narrow ? 2 : 3);
    m_plots->setMinimumHeight(m_plots->heightFor(0));
    m_header->setCompact(narrow);
    m_verdict->setCompact(narrow);
    m_trouble->setCompact(narrow);
    if (narrow != m_narrow || m_eventBar->isHidden() == narrow) {
        m_narrow = narrow;
        m_eventBar->setVisible(narrow);
        m_readOutBar->setVisible(narrow);
        m_eventBar->setOpen(false);
        m_readOutBar->setOpen(false);
        m_events->setVisible(!narrow);
        m_readOut->setVisible(!narrow);
    }
}

void SingleRunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

} // namespace assay
