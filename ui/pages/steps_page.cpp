#include "ui/pages/steps_page.h"

#include "ui/actions.h"
#include "ui/number_text.h"
#include "ui/pages/steps_key_legend.h"
#include "ui/steps/scale_key.h"
#include "ui/steps/solution_list_pane.h"
#include "ui/steps/solution_pane.h"
#include "ui/steps/step_details_pane.h"
#include "ui/steps/step_list_model.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace assay {

namespace {

constexpr int kDetailsBelow = 1200;
constexpr int kListBelow = 1000;

} // namespace

StepsPage::StepsPage(StoreSource& store, TokenSource tokens, Actions& actions, QWidget* parent)
    : Page(parent)
    , m_store(store)
    , m_tokenSource(std::move(tokens))
{
    auto* work = new QWidget;
    auto* workColumn = new QVBoxLayout(work);
    workColumn->setContentsMargins(0, 0, 0, 0);
    workColumn->setSpacing(0);
    workColumn->addWidget(makeHeader());
    workColumn->addWidget(new RuleLine);
    workColumn->addWidget(makeBody(), 1);
    m_stack = new PageStack;
    m_stack->addWidget(work);
    m_stack->addWidget(makeEmpty());
    m_stack->setCurrentIndex(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    makeActions(actions);
    connectPanes();
    connect(&m_store, &StoreSource::changed, this, [this] {
        m_dirty = true;
        if (isVisible())
            refresh();
    });
}

StepsPage::~StepsPage() = default;

void StepsPage::makeActions(Actions& actions)
{
    const auto add = [&](const char* id, const char* text, const QKeySequence& keys,
                         std::function<void()> run) {
        actions.addFor(this, QLatin1String(id), QLatin1String(text), keys, std::move(run));
    };
    add("steps.next-error", "Next error", Qt::Key_J, [this] { moveToError(1); });
    add("steps.previous-error", "Previous error", Qt::Key_K, [this] { moveToError(-1); });
    add("steps.next-solution", "Next solution", Qt::Key_N, [this] { m_list->step(1); });
    add("steps.previous-solution", "Previous solution", Qt::Key_P, [this] { m_list->step(-1); });
    add("steps.disagreements", "Only disagreements", Qt::Key_X, [this] { m_list->toggleDisagreements(); });
    add("steps.earlier-evaluation", "Earlier evaluation", Qt::Key_BracketLeft,
        [this] { chooseEvaluation(m_shown - 1); });
    add("steps.later-evaluation", "Later evaluation", Qt::Key_BracketRight,
        [this] { chooseEvaluation(m_shown + 1); });
    add("steps.show-list", "Show or hide the list of solutions", Qt::Key_F3,
        [this] { m_list->setVisible(!m_list->isVisibleTo(m_splitter)); });
    add("steps.show-details", "Show or hide step details", Qt::Key_F4,
        [this] { m_details->setVisible(!m_details->isVisibleTo(m_inner)); });
}

void StepsPage::connectPanes()
{
    connect(m_list, &SolutionListPane::solutionChosen, this,
            [this](const QString& id) { loadSolution(id.toStdString()); });
    connect(m_pane, &SolutionPane::stepChanged, this, &StepsPage::onStepChanged);
    connect(m_pane, &SolutionPane::neighbourRequested, m_list, &SolutionListPane::step);
    connect(m_pane, &SolutionPane::evaluationChosen, this, &StepsPage::chooseEvaluation);
    connect(m_pane, &SolutionPane::comparedChosen, this, &StepsPage::chooseCompared);
}

QString StepsPage::title() const
{
    const auto word = m_pairs ? QStringLiteral("Pairs") : QStringLiteral("Steps");
    return m_runName.isEmpty() ? word : m_runName + QStringLiteral(" – ") + word;
}

void StepsPage::activate()
{
    refresh();
    // Keys work at once, but whoever types in a field here keeps it.
    if (!isAncestorOf(focusWidget()))
        m_pane->takeFocus();
}

void StepsPage::refresh()
{
    if (m_runPending || (!m_run.empty() && !m_dirty))
        return; // what is on its way is newer than what this would ask for
    m_dirty = false;
    loadRun(m_run, m_shown >= 0 ? m_evaluations[static_cast<std::size_t>(m_shown)].evaluation : 0);
}

void StepsPage::showRun(const QString& run, qint64 evaluation)
{
    if (run.toStdString() != m_run)
        m_thresholdTouched = false;
    loadRun(run.toStdString(), evaluation);
}

bool StepsPage::ready() const
{
    if (m_runPending)
        return false;
    if (m_evaluations.empty())
        return !m_run.empty() || m_refused;
    return m_list->ready() && !m_solutionPending;
}

void StepsPage::loadRun(const RunId& run, std::int64_t evaluation)
{
    m_runPending = true;
    const auto number = ++m_runQuery;
    m_store.query(
        this, [run](const RunReader& reader) { return readEvaluatedRun(reader, run); },
        [this, evaluation, number](Result<EvaluatedRun> view) {
            if (number != m_runQuery)
                return;
            m_runPending = false;
            m_refused = !view.ok();
            if (view.ok()) {
                adoptRun(std::move(*view), evaluation);
                return;
            }
            if (view.error().code != ErrorCode::NotFound)
                m_emptyText->setText(QString::fromStdString(view.error().text()));
            m_stack->setCurrentIndex(1);
        });
}

void StepsPage::adoptRun(EvaluatedRun view, std::int64_t evaluation)
{
    const bool another = view.summary.id != m_run;
    const bool alive = view.summary.status == RunStatus::Running || view.summary.status == RunStatus::Paused;
    const bool wrote = std::exchange(m_alive, alive) || alive; // since it was last read
    m_run = view.summary.id;
    m_runName = QString::fromStdString(view.summary.name);
    m_name->setText(m_runName);
    m_name->setToolTip(m_runName);
    setPairs(view.summary.task == "Pairs");
    const bool same =
        !another && std::equal(view.evaluations.begin(), view.evaluations.end(), m_evaluations.begin(),
                               m_evaluations.end(),
                               [](const auto& a, const auto& b) { return a.evaluation == b.evaluation; });
    if (same && evaluation != 0 && m_shown >= 0 &&
        m_evaluations[static_cast<std::size_t>(m_shown)].evaluation == evaluation) {
        // Predictions of the newest evaluation may still have been on their way.
        if (wrote)
            m_list->refresh();
        return;
    }
    m_evaluations = std::move(view.evaluations);
    m_thresholds = std::move(view.thresholds);
    if (another) {
        m_shown = m_compared = -1;
        m_exampleId.clear();
        ++m_solutionQuery;
        m_solutionPending = false;
        m_tokensOf.clear(); // the other run may have cut the same example into other tokens
        m_details->clearTokens({});
        m_list->setEvaluation(0, m_threshold);
        m_pane->clear();
        m_details->clear();
    }
    m_evaluationBox->clear();
    for (std::size_t i = m_evaluations.size(); i-- > 0;)
        m_evaluationBox->addItem(
            QStringLiteral("Evaluation %1, step %2").arg(i + 1).arg(countText(m_evaluations[i].step)));
    m_stack->setCurrentIndex(m_evaluations.empty() ? 1 : 0);
    if (m_evaluations.empty()) {
        m_emptyText->setText(
            QStringLiteral("%1 has not been evaluated yet. Its steps appear here with the first evaluation.")
                .arg(m_runName));
        return;
    }
    int index = static_cast<int>(m_evaluations.size()) - 1;
    for (std::size_t i = 0; i < m_evaluations.size(); ++i)
        if (m_evaluations[i].evaluation == evaluation)
            index = static_cast<int>(i);
    if (another || m_compared < 0)
        m_compared = index > 0 ? index / 4 : -1;
    m_shown = -1;
    chooseEvaluation(index);
    if (!another && !m_exampleId.empty())
        loadSolution(m_exampleId);
}

void StepsPage::setPairs(bool pairs)
{
    m_pairs = pairs;
    m_keys->setPairs(pairs);
    m_thresholdLabel->setVisible(!pairs);
    m_thresholdBox->setVisible(!pairs);
    m_list->setPairs(pairs);
    arrange();
}

void StepsPage::chooseEvaluation(int index)
{
    if (index < 0 || index >= static_cast<int>(m_evaluations.size()) || index == m_shown)
        return;
    m_shown = index;
    m_evaluationBox->setCurrentIndex(static_cast<int>(m_evaluations.size()) - 1 - index);
    const auto at = static_cast<std::size_t>(index);
    if (!m_thresholdTouched && m_threshold != m_thresholds[at]) {
        const QSignalBlocker blocked(m_thresholdBox);
        m_thresholdBox->setValue(m_thresholds[at]);
        setThreshold(m_thresholds[at]);
    }
    m_pane->setEvaluations(m_evaluations, m_shown, m_compared);
    m_list->setEvaluation(m_evaluations[at].evaluation, m_threshold);
    showSolution();
}

void StepsPage::chooseCompared(int index)
{
    m_compared = index;
    m_pane->setEvaluations(m_evaluations, m_shown, m_compared);
}

void StepsPage::setThreshold(double threshold)
{
    m_threshold = threshold;
    m_scale->setThreshold(threshold);
    m_pane->setThreshold(threshold);
    if (m_shown < 0)
        return;
    m_list->setEvaluation(m_evaluations[static_cast<std::size_t>(m_shown)].evaluation, threshold);
    onStepChanged(m_pane->currentStep());
}

void StepsPage::loadSolution(const std::string& exampleId)
{
    struct Loaded
    {
        StoredExample example;
        std::vector<StoredPrediction> predictions;
    };
    m_exampleId = exampleId;
    m_solutionPending = true;
    const auto number = ++m_solutionQuery;
    m_store.query(
        this,
        [exampleId, evaluations = m_evaluations](const RunReader& reader) -> Result<Loaded> {
            Loaded loaded;
            TRY(loaded.example, reader.example(exampleId));
            for (const auto& evaluation : evaluations) {
                TRY(auto rows, reader.predictions(evaluation.evaluation, exampleId));
                loaded.predictions.insert(loaded.predictions.end(), rows.begin(), rows.end());
            }
            return loaded;
        },
        [this, number](Result<Loaded> loaded) {
            if (number != m_solutionQuery)
                return;
            m_solutionPending = false;
            if (!loaded.ok()) {
                m_pane->clear();
                m_details->clear();
                return;
            }
            m_example = std::move(loaded->example);
            m_predictions = std::move(loaded->predictions);
            showSolution();
        });
}

void StepsPage::showSolution()
{
    if (m_shown < 0 || m_example.id != m_exampleId || m_exampleId.empty())
        return;
    const auto evaluation = m_evaluations[static_cast<std::size_t>(m_shown)].evaluation;
    const Solution solution = makeSolution(m_example, m_evaluations, m_predictions, evaluation);
    const auto* summary = m_list->chosenSummary();
    m_pane->setSolution(solution, summary ? summary->ordinal : 0);
    if (m_pendingError != 0) {
        const int direction = m_pendingError;
        m_pendingError = 0;
        const int from = direction > 0 ? -1 : static_cast<int>(solution.steps.size());
        m_pane->setCurrentStep(m_pane->model()->nextError(from, direction));
    }
    onStepChanged(m_pane->currentStep());
    askTokens();
}

void StepsPage::onStepChanged(int step)
{
    if (m_shown < 0)
        return;
    const Solution& solution = m_pane->model()->solution();
    m_details->showStep(solution, step, m_threshold);
    if (step < 0 || step >= static_cast<int>(solution.steps.size()))
        return;
    const ReadStep& read = solution.steps[static_cast<std::size_t>(step)];
    if (solution.pair || !read.read || !read.labelledWrong())
        return;
    m_store.query(
        this,
        [evaluation = solution.evaluation, probability = read.probability](const RunReader& reader) {
            return reader.rankAmongWrong(evaluation, probability);
        },
        [this, step, id = solution.example.id, evaluation = solution.evaluation](Result<WrongStepRank> rank) {
            const Solution& now = m_pane->model()->solution();
            if (rank.ok() && now.example.id == id && now.evaluation == evaluation &&
                m_pane->currentStep() == step)
                m_details->setRank(*rank);
        });
}

void StepsPage::askTokens()
{
    if (!m_tokenSource || m_tokensOf == m_exampleId)
        return;
    m_tokensOf = m_exampleId;
    m_details->clearTokens(QStringLiteral("asking the engine"));
    m_tokenSource(m_run, m_exampleId, this, [this, run = m_run, id = m_exampleId](const auto& tokens) {
        if (run != m_run || id != m_exampleId)
            return;
        m_pane->setTokens(tokens);
        if (tokens.ok())
            m_details->setTokens(*tokens);
        else
            m_details->clearTokens(QStringLiteral("not available"));
    });
}

void StepsPage::moveToError(int direction)
{
    if (m_pairs) {
        m_list->stepToWrongPair(direction);
        return;
    }
    const int next = m_pane->model()->nextError(m_pane->currentStep(), direction);
    if (next >= 0) {
        m_pane->setCurrentStep(next);
        return;
    }
    // Past the last error of this solution: on to the next one that has any.
    m_pendingError = direction;
    if (!m_list->step(direction))
        m_pendingError = 0;
}

void StepsPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

void StepsPage::arrange()
{
    const int width = window()->width();
    const auto orientation = width < scaled(kDetailsBelow) ? Qt::Vertical : Qt::Horizontal;
    if (m_inner->orientation() != orientation || m_inner->sizes().value(1) == 0) {
        const bool narrow = orientation == Qt::Vertical;
        m_inner->setOrientation(orientation);
        m_details->setMinimumSize(narrow ? 0 : scaled(260), narrow ? scaled(96) : 0);
        m_inner->setSizes(narrow ? QList<int>{height() - scaled(170), scaled(150)}
                                 : QList<int>{width - scaled(730), scaled(330)});
        m_splitter->setSizes({narrow ? scaled(250) : scaled(300), width - scaled(380)});
    }
    m_list->setVisible(width >= scaled(kListBelow));
    m_scale->setVisible(!m_pairs && width >= scaled(900));
}

} // namespace assay
