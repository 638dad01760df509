#include "ui/steps/solution_pane.h"

#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/steps/evaluation_ribbon_model.h"
#include "ui/steps/evaluation_slider.h"
#include "ui/steps/pairs/pair_pane.h"
#include "ui/steps/reward_curve.h"
#include "ui/steps/ribbon_delegate.h"
#include "ui/steps/step_delegate.h"
#include "ui/steps/step_list_model.h"
#include "ui/steps/token_view.h"
#include "ui/theme.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/segmented_buttons.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace assay {

namespace {

constexpr int kPlayMilliseconds = 700;
constexpr double kPromptHeight = 96;

/// Empty lines at the ends only push the words away; the token view shows them.
QString withoutBlankEnds(QString text)
{
    while (text.endsWith(QLatin1Char('\n')))
        text.chop(1);
    qsizetype blank = 0;
    while (blank < text.size() && text[blank] == QLatin1Char('\n'))
        ++blank;
    return text.mid(blank);
}

/// Column titles above the step rows, on the same columns as the rows themselves.
class StepHeader : public QWidget
{
public:
    StepHeader(const QListView* list, const double* threshold)
        : m_list(list)
        , m_threshold(threshold)
    {
        setFixedHeight(scaled(24));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const Palette& p = colors();
        painter.fillRect(rect(), p.alt);
        painter.fillRect(QRect(0, 0, width(), 1), p.line2);
        painter.fillRect(QRect(0, height() - 1, width(), 1), p.line2);
        const StepColumns columns = StepColumns::of(QRect(0, 0, m_list->viewport()->width(), height()));
        painter.setFont(textFont(TextSize::Caption));
        painter.setPen(p.text2);
        painter.drawText(QRect(scaled(11), 0, scaled(60), height()), int(Qt::AlignLeft | Qt::AlignVCenter),
                         QStringLiteral("Label"));
        painter.drawText(columns.text, int(Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("Step"));
        painter.drawText(columns.probability, int(Qt::AlignRight | Qt::AlignVCenter),
                         QStringLiteral("Prob."));
        painter.setFont(textFont(TextSize::Tick));
        painter.drawText(columns.bar, int(Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("0"));
        painter.drawText(columns.bar, int(Qt::AlignRight | Qt::AlignVCenter), QStringLiteral("1"));
        const int mark = columns.bar.left() + static_cast<int>(columns.bar.width() * *m_threshold);
        const int width = QFontMetrics(painter.font()).horizontalAdvance(QStringLiteral("threshold"));
        const int left =
            std::clamp(mark - width / 2, columns.bar.left() + scaled(12),
                       std::max(columns.bar.left() + scaled(12), columns.bar.right() - scaled(12) - width));
        painter.drawText(QRect(left, 0, width + 1, height()), int(Qt::AlignLeft | Qt::AlignVCenter),
                         QStringLiteral("threshold"));
    }

private:
    const QListView* m_list;
    const double* m_threshold;
};

QPushButton* iconButton(Icon sign, const QString& name, const QString& keys)
{
    auto* button = new QPushButton(icon(sign), {});
    button->setAccessibleName(name);
    button->setToolTip(keys.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, keys));
    button->setProperty("small", true);
    return button;
}

} // namespace

SolutionPane::SolutionPane(bool withTokens, QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_model = new StepListModel(this);
    m_ribbonModel = new EvaluationRibbonModel(this);
    m_curve = new RewardCurve;
    auto* views = makeViews();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead(withTokens));
    column->addWidget(new RuleLine);
    column->addWidget(makePrompt());
    column->addWidget(views, 1);
    m_curveRule = new RuleLine;
    column->addWidget(m_curveRule);
    column->addWidget(m_curve);
    column->addWidget(new RuleLine);
    column->addWidget(makeEvaluationBar());

    connect(m_curve, &RewardCurve::stepClicked, this, &SolutionPane::setCurrentStep);
    connect(m_tokens, &TokenStrip::stepClicked, this, &SolutionPane::setCurrentStep);
    connect(m_pairView, &PairPane::sideChosen, this, &SolutionPane::setCurrentStep);
    m_playTimer.setInterval(kPlayMilliseconds);
    connect(&m_playTimer, &QTimer::timeout, this, &SolutionPane::play);
    clear();
}

QWidget* SolutionPane::makeHead(bool withTokens)
{
    auto* head = new QWidget;
    head->setBackgroundRole(QPalette::AlternateBase);
    head->setAutoFillBackground(true);
    m_title = new TextLabel({}, TextSize::Section);
    m_source = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_source->setElided(true);
    m_segments = new SegmentedButtons(QStringLiteral("View of the solution"));
    m_segments->addSegment(QStringLiteral("Steps"));
    m_segments->addSegment(QStringLiteral("Ribbon"));
    if (withTokens)
        m_segments->addSegment(QStringLiteral("Tokens"));
    connect(m_segments, &SegmentedButtons::chosen, this, &SolutionPane::setView);
    auto* previous = iconButton(Icon::ChevronLeft, QStringLiteral("Previous solution"), QStringLiteral("P"));
    auto* next = iconButton(Icon::ChevronRight, QStringLiteral("Next solution"), QStringLiteral("N"));
    connect(previous, &QPushButton::clicked, this, [this] { Q_EMIT neighbourRequested(-1); });
    connect(next, &QPushButton::clicked, this, [this] { Q_EMIT neighbourRequested(1); });
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(scaled(14), scaled(7), scaled(10), scaled(7));
    row->setSpacing(scaled(8));
    row->addWidget(m_title);
    row->addWidget(m_source, 1);
    row->addWidget(m_segments);
    row->addWidget(previous);
    row->addWidget(next);
    return head;
}

QWidget* SolutionPane::makePrompt()
{
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(scaled(14), scaled(9), scaled(6), scaled(9));
    column->setSpacing(scaled(3));
    column->addWidget(new TextLabel(QStringLiteral("Prompt"), TextSize::Caption, &Palette::text2));
    m_prompt = new TextLabel;
    m_prompt->setWordWrap(true);
    m_prompt->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_promptArea = new QScrollArea;
    m_promptArea->setFrameShape(QFrame::NoFrame);
    m_promptArea->setWidgetResizable(true);
    m_promptArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_promptArea->setAccessibleName(QStringLiteral("Prompt"));
    m_promptArea->setWidget(m_prompt);
    column->addWidget(m_promptArea);
    return box;
}

QWidget* SolutionPane::makeViews()
{
    m_list = new QListView;
    m_list->setObjectName(QStringLiteral("stepList"));
    m_list->setAccessibleName(QStringLiteral("Steps of the solution"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new StepDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) { setCurrentStep(current.row()); });
    auto* steps = new QWidget;
    auto* stepsColumn = new QVBoxLayout(steps);
    stepsColumn->setContentsMargins(0, 0, 0, 0);
    stepsColumn->setSpacing(0);
    stepsColumn->addWidget(new StepHeader(m_list, &m_threshold));
    stepsColumn->addWidget(m_list, 1);

    m_ribbon = new QTableView;
    m_ribbon->setAccessibleName(QStringLiteral("Step probabilities over evaluations"));
    m_ribbon->setModel(m_ribbonModel);
    m_ribbon->setItemDelegate(new RibbonDelegate(m_ribbon));
    m_ribbon->setFrameShape(QFrame::NoFrame);
    m_ribbon->setShowGrid(false);
    m_ribbon->setSelectionMode(QAbstractItemView::SingleSelection);
    m_ribbon->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_ribbon->horizontalHeader()->setMinimumSectionSize(scaled(34));
    m_ribbon->verticalHeader()->setDefaultSectionSize(scaled(27));
    m_ribbon->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(m_ribbon->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid())
                    setCurrentStep(current.column());
            });
    connect(m_ribbon, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT evaluationChosen(static_cast<int>(m_evaluations.size()) - 1 - index.row());
    });

    m_tokens = new TokenStrip;
    m_tokensNote = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_tokensNote->setWordWrap(true);
    auto* tokensBox = new QWidget;
    tokensBox->setBackgroundRole(QPalette::Base);
    auto* tokensColumn = new QVBoxLayout(tokensBox);
    tokensColumn->setContentsMargins(scaled(14), scaled(10), scaled(14), scaled(10));
    tokensColumn->addWidget(m_tokensNote);
    tokensColumn->addWidget(m_tokens);
    tokensColumn->addStretch(1);
    auto* tokens = new QScrollArea;
    tokens->setFrameShape(QFrame::NoFrame);
    tokens->setWidgetResizable(true);
    tokens->setWidget(tokensBox);

    m_pairView = new PairPane;
    m_whole = new PageStack;
    m_whole->addWidget(steps);
    m_whole->addWidget(m_pairView);
    m_views = new PageStack;
    m_views->addWidget(m_whole);
    m_views->addWidget(m_ribbon);
    m_views->addWidget(tokens);
    return m_views;
}

QWidget* SolutionPane::makeEvaluationBar()
{
    m_evaluationBar = new QWidget;
    m_slider = new EvaluationSlider;
    m_shownText = new TextLabel({}, TextSize::Body);
    m_shownText->setNumber(true);
    m_compared = new QComboBox;
    m_compared->setAccessibleName(QStringLiteral("Compared with the evaluation at optimiser step"));
    m_compared->setProperty("small", true);
    m_play = iconButton(Icon::Play, QStringLiteral("Replay the evaluations"), {});
    connect(m_slider, &QSlider::valueChanged, this, [this](int index) { Q_EMIT evaluationChosen(index); });
    connect(m_compared, &QComboBox::activated, this, [this](int index) { Q_EMIT comparedChosen(index - 1); });
    connect(m_play, &QPushButton::clicked, this, [this] {
        if (m_playTimer.isActive()) {
            m_playTimer.stop();
        } else {
            if (m_slider->value() == m_slider->maximum())
                Q_EMIT evaluationChosen(0);
            m_playTimer.start();
        }
        m_play->setIcon(icon(m_playTimer.isActive() ? Icon::Pause : Icon::Play));
    });
    auto* row = new QHBoxLayout(m_evaluationBar);
    row->setContentsMargins(scaled(14), scaled(6), scaled(12), scaled(6));
    row->setSpacing(scaled(8));
    row->addWidget(new TextLabel(QStringLiteral("Evaluation"), TextSize::Caption, &Palette::text2));
    row->addWidget(m_slider, 1);
    row->addWidget(m_shownText);
    row->addWidget(new TextLabel(QStringLiteral("compared with"), TextSize::Table, &Palette::text2));
    row->addWidget(m_compared);
    row->addWidget(m_play);
    return m_evaluationBar;
}

void SolutionPane::play()
{
    if (m_slider->value() >= m_slider->maximum()) {
        m_playTimer.stop();
        m_play->setIcon(icon(Icon::Play));
        return;
    }
    Q_EMIT evaluationChosen(m_slider->value() + 1);
}

void SolutionPane::setSolution(const Solution& solution, std::int64_t ordinal)
{
    const bool another = solution.example.id != m_model->solution().example.id;
    const auto noun = solution.pair ? QStringLiteral("Pair") : QStringLiteral("Solution");
    m_title->setText(ordinal > 0 ? noun + QStringLiteral(" %1").arg(countText(ordinal)) : noun);
    showAs(solution.pair);
    const QString source = QString::fromStdString(solution.example.source);
    m_source->setText(source.isEmpty() ? QString()
                                       : QStringLiteral("%1, row %2")
                                             .arg(source.section(QLatin1Char('/'), -1),
                                                  countText(solution.example.row + 1)));
    m_source->setToolTip(source);
    m_prompt->setText(withoutBlankEnds(QString::fromStdString(solution.example.prompt)));
    fitPrompt();
    m_model->setSolution(solution);
    m_ribbonModel->setSolution(solution, m_threshold);
    m_curve->setSolution(solution, m_threshold, m_comparedId);
    m_pairView->setSolution(solution);
    if (another) {
        m_tokens->setTokens({});
        m_tokensNote->clear();
        m_promptArea->verticalScrollBar()->setValue(0);
        const int first = solution.pair                    ? 0
                          : solution.firstTrueError() >= 0 ? solution.firstTrueError()
                                                           : solution.firstPredictedError(m_threshold);
        m_step = -1;
        setCurrentStep(std::max(0, first));
    } else if (m_step >= 0) {
        m_curve->setCurrentStep(m_step);
        m_list->setCurrentIndex(m_model->index(m_step));
    }
}

void SolutionPane::clear()
{
    m_title->setText(QStringLiteral("No solution"));
    m_source->clear();
    m_prompt->clear();
    fitPrompt();
    m_model->setSolution({});
    m_ribbonModel->setSolution({}, m_threshold);
    m_curve->setSolution({}, m_threshold, 0);
    m_pairView->setSolution({});
    m_tokens->setTokens({});
    m_step = -1;
}

void SolutionPane::setThreshold(double threshold)
{
    m_threshold = threshold;
    m_model->setThreshold(threshold);
    m_ribbonModel->setSolution(m_model->solution(), threshold);
    m_curve->setSolution(m_model->solution(), threshold, m_comparedId);
    update();
}

void SolutionPane::setEvaluations(const std::vector<EvaluationTrack>& evaluations, int shown, int compared)
{
    const auto same = [&] {
        return std::equal(evaluations.begin(), evaluations.end(), m_evaluations.begin(), m_evaluations.end(),
                          [](const auto& a, const auto& b) { return a.evaluation == b.evaluation; });
    };
    if (!same()) {
        m_evaluations = evaluations;
        std::vector<std::int64_t> steps;
        const QSignalBlocker blocked(m_compared);
        m_compared->clear();
        m_compared->addItem(QStringLiteral("none"));
        for (const auto& evaluation : evaluations) {
            steps.push_back(evaluation.step);
            m_compared->addItem(countText(evaluation.step));
        }
        const QSignalBlocker sliderBlocked(m_slider);
        m_slider->setSteps(std::move(steps));
    }
    const QSignalBlocker blocked(m_slider);
    m_slider->setValue(shown);
    m_slider->setCompared(compared);
    m_compared->setCurrentIndex(compared + 1);
    m_comparedId = compared >= 0 ? m_evaluations.at(static_cast<std::size_t>(compared)).evaluation : 0;
    m_shownText->setText(shown >= 0 && shown < static_cast<int>(m_evaluations.size())
                             ? countText(m_evaluations[static_cast<std::size_t>(shown)].step)
                             : QString());
    m_evaluationBar->setVisible(m_evaluations.size() > 1);
    m_curve->setSolution(m_model->solution(), m_threshold, m_comparedId);
}

void SolutionPane::setTokens(const Result<TokenView>& tokens)
{
    if (!tokens.ok()) {
        m_tokens->setTokens({});
        m_tokensNote->setText(QString::fromStdString(tokens.error().text()));
        return;
    }
    m_tokens->setTokens(tokens->tokens);
    m_tokens->setCurrentStep(m_step);
    QString note =
        QStringLiteral("%1 tokens; inverted: read out, with its label as circle, diamond or dotted ring")
            .arg(countText(static_cast<std::int64_t>(tokens->tokens.size())));
    if (!tokens->cutText.empty())
        note += QStringLiteral(". ") + QString::fromStdString(tokens->cutText);
    m_tokensNote->setText(note);
}

int SolutionPane::currentStep() const
{
    return m_step;
}

void SolutionPane::setCurrentStep(int step)
{
    if (step < 0 || step >= m_model->rowCount() || step == m_step)
        return;
    m_step = step;
    m_list->setCurrentIndex(m_model->index(step));
    m_list->scrollTo(m_model->index(step));
    const int row = std::max(0, m_ribbon->currentIndex().row());
    if (m_ribbonModel->rowCount() > 0)
        m_ribbon->setCurrentIndex(m_ribbonModel->index(row, step));
    m_curve->setCurrentStep(step);
    m_pairView->setCurrentSide(step);
    m_tokens->setCurrentStep(step);
    Q_EMIT stepChanged(step);
}

void SolutionPane::showAs(bool pair)
{
    m_whole->setCurrentIndex(pair ? 1 : 0);
    m_segments->setText(0, pair ? QStringLiteral("Pair") : QStringLiteral("Steps"));
    m_curve->setVisible(!pair);
    m_curveRule->setVisible(!pair);
}

void SolutionPane::takeFocus()
{
    (m_model->solution().pair ? static_cast<QWidget*>(m_pairView) : m_list)->setFocus();
}

SolutionPane::View SolutionPane::view() const
{
    return static_cast<View>(m_views->currentIndex());
}

void SolutionPane::setView(int view)
{
    m_segments->setCurrent(view);
    m_views->setCurrentIndex(view);
}

void SolutionPane::fitPrompt()
{
    const int width = std::max(scaled(120), m_promptArea->viewport()->width());
    const QRect needed =
        QFontMetrics(m_prompt->font())
            .boundingRect(QRect(0, 0, width, 100000), int(Qt::TextWordWrap), m_prompt->text());
    // On a low window the answers need the room more; the rest of the prompt is scrolled to.
    const int most = std::clamp(height() / 8, scaled(36), scaled(kPromptHeight));
    m_promptArea->setFixedHeight(std::clamp(needed.height() + scaled(2), scaled(18), most));
}

void SolutionPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitPrompt();
}

} // namespace assay
