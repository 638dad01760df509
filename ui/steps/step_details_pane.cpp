#include "ui/steps/step_details_pane.h"

#include "ui/number_text.h"
#include "ui/plots/mini_plot.h"
#include "ui/steps/reward_paint.h"
#include "ui/steps/step_list_model.h"
#include "ui/steps/token_view.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

/// From this distance between probability and label on an error is a confident one, as in the solution list.
constexpr double kConfident = 0.9;

constexpr std::array<const char*, 4> kSums = {"Minimum", "Product", "Mean", "Last"};
constexpr std::array<const char*, 4> kPairSums = {"Margin", "Loss", "Chosen", "Rejected"};

/// A label with its shape in front, right-aligned.
class LabelValue : public TextLabel
{
public:
    LabelValue()
        : TextLabel({}, TextSize::Table)
    {
        setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    void setStep(const ReadStep& step)
    {
        m_kind = labelKind(step.label, step.supervised);
        setText(labelWord(step));
    }
    void setSide(int side)
    {
        m_kind = side == 0 ? LabelKind::Correct : LabelKind::Wrong;
        setText(side == 0 ? QStringLiteral("chosen") : QStringLiteral("rejected"));
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        TextLabel::paintEvent(event);
        if (text().isEmpty())
            return;
        QPainter painter(this);
        const int textWidth = QFontMetrics(font()).horizontalAdvance(text());
        paintLabelShape(&painter, QPointF(width() - textWidth - scaled(10), height() / 2.0), scaled(4),
                        m_kind);
    }

private:
    LabelKind m_kind = LabelKind::None;
};

/// Header band of a section.
class SectionBand : public QWidget
{
public:
    SectionBand()
    {
        setBackgroundRole(QPalette::AlternateBase);
        setAutoFillBackground(true);
        setFixedHeight(scaled(27));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(QRect(0, 0, width(), 1), colors().line);
        painter.fillRect(QRect(0, height() - 1, width(), 1), colors().line);
    }
};

} // namespace

BadgeLook stepVerdict(const ReadStep& step, double threshold)
{
    if (!step.read)
        return {QStringLiteral("not scored"), Icon::Info, Tone::Plain};
    if (!step.supervised)
        return {QStringLiteral("no label"), Icon::Info, Tone::Plain};
    if (step.labelledWrong() == step.predictedWrong(threshold))
        return {QStringLiteral("agrees"), Icon::CheckCircle, Tone::Ok};
    if (std::abs(step.probability - step.label) >= kConfident)
        return {QStringLiteral("confident error"), Icon::Error, Tone::Err};
    return step.labelledWrong() ? BadgeLook{QStringLiteral("false positive"), Icon::Error, Tone::Err}
                                : BadgeLook{QStringLiteral("false alarm"), Icon::Warning, Tone::Warn};
}

BadgeLook pairVerdict(std::optional<double> margin)
{
    if (!margin)
        return {QStringLiteral("not scored"), Icon::Info, Tone::Plain};
    if (*margin > 0.0)
        return {QStringLiteral("agrees"), Icon::CheckCircle, Tone::Ok};
    if (*margin == 0.0)
        return {QStringLiteral("tie"), Icon::Warning, Tone::Warn};
    const double preferred = 1.0 / (1.0 + std::exp(-*margin));
    return {preferred <= 1.0 - kConfident ? QStringLiteral("confident error") : QStringLiteral("wrong"),
            Icon::Error, Tone::Err};
}

StepDetailsPane::StepDetailsPane(bool withTokens, QWidget* parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(QStringLiteral("Step details"));
    m_content = new QWidget;
    m_content->setBackgroundRole(QPalette::Base);
    m_content->setAutoFillBackground(true);
    m_column = new QVBoxLayout(m_content);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);

    auto* head = new QWidget;
    auto* headRow = new QHBoxLayout(head);
    headRow->setContentsMargins(scaled(12), scaled(9), scaled(12), scaled(9));
    m_title = new TextLabel({}, TextSize::Section);
    m_badge = new Badge;
    headRow->addWidget(m_title, 1);
    headRow->addWidget(m_badge);
    head->setBackgroundRole(QPalette::AlternateBase);
    head->setAutoFillBackground(true);
    m_column->addWidget(head);
    m_column->addWidget(new RuleLine);

    auto* figures = new QWidget;
    m_rows = new QGridLayout(figures);
    m_rows->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    m_rows->setVerticalSpacing(scaled(4));
    m_rows->setColumnStretch(0, 1);
    m_score = addRow(QStringLiteral("Score (logit)"));
    m_probability = addRow(QStringLiteral("Step probability"));
    m_probability.value->setNumber(true);
    m_label = addRow(QStringLiteral("Label"));
    m_loss = addRow(QStringLiteral("Loss of this step, unweighted"));
    m_rank = addRow(QStringLiteral("Rank among wrong steps"));
    m_rank.name->setToolTip(
        QStringLiteral("1 = the wrong step with the highest probability of this evaluation"));
    m_trendName = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_trend = new Sparkline;
    const int last = m_rows->rowCount();
    m_rows->addWidget(m_trendName, last, 0);
    m_rows->addWidget(m_trend, last, 1, Qt::AlignRight);
    m_groups = new QBoxLayout(QBoxLayout::TopToBottom);
    m_groups->setSpacing(0);
    m_groups->addWidget(figures, 0, Qt::AlignTop);
    m_column->addLayout(m_groups);

    if (withTokens) {
        auto* box = addSection(new TextLabel(QStringLiteral("Tokens"), TextSize::Caption), &m_tokensNote);
        m_tokens = new TokenStrip;
        box->layout()->addWidget(m_tokens);
    }
    m_sumsTitle = new TextLabel({}, TextSize::Caption);
    auto* sums = addSection(m_sumsTitle, nullptr);
    m_sums = new QGridLayout;
    m_sums->setHorizontalSpacing(scaled(10));
    m_sums->setVerticalSpacing(scaled(4));
    for (int i = 0; i < 4; ++i) {
        m_sumValues[i] = new TextLabel({}, TextSize::Table);
        m_sumValues[i]->setNumber();
        m_sumValues[i]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_sumNames[i] = new TextLabel({}, TextSize::Table, &Palette::text2);
        m_sums->addWidget(m_sumNames[i], i / 2, i % 2 * 3);
        m_sums->addWidget(m_sumValues[i], i / 2, i % 2 * 3 + 1);
    }
    m_sums->setColumnMinimumWidth(2, scaled(24));
    m_sums->setColumnStretch(1, 1);
    m_sums->setColumnStretch(4, 1);
    static_cast<QVBoxLayout*>(sums->layout())->addLayout(m_sums);
    m_column->addStretch(1);
    setWidget(m_content);
    nameFigures();
    clear();
}

void StepDetailsPane::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void StepDetailsPane::arrange()
{
    // Below the steps the pane is wide and low: its groups then stand side by side, if they fit.
    int needed = 0;
    for (int i = 0; i < m_groups->count(); ++i)
        needed += m_groups->itemAt(i)->minimumSize().width();
    const bool wide = width() > scaled(560) && needed <= viewport()->width();
    m_groups->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    for (int i = 0; i < m_groups->count(); ++i)
        m_groups->setStretch(i, wide ? 1 : 0);
}

StepDetailsPane::Row StepDetailsPane::addRow(const QString& name)
{
    const int at = m_rows->count() == 0 ? 0 : m_rows->rowCount();
    Row row{new TextLabel(name, TextSize::Table, &Palette::text2),
            name == QLatin1String("Label") ? new LabelValue : new TextLabel({}, TextSize::Table)};
    if (name != QLatin1String("Label"))
        row.value->setNumber();
    row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row.value->setMinimumHeight(scaled(18));
    m_rows->addWidget(row.name, at, 0);
    m_rows->addWidget(row.value, at, 1);
    return row;
}

QWidget* StepDetailsPane::addSection(TextLabel* title, TextLabel** note)
{
    auto* band = new SectionBand;
    auto* bandRow = new QHBoxLayout(band);
    bandRow->setContentsMargins(scaled(12), 0, scaled(12), 0);
    bandRow->addWidget(title);
    bandRow->addStretch(1);
    if (note) {
        *note = new TextLabel({}, TextSize::Tick, &Palette::text2);
        (*note)->setElided(true);
        bandRow->addWidget(*note);
    }
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(10));
    column->setSpacing(scaled(4));
    auto* section = new QWidget;
    auto* sectionColumn = new QVBoxLayout(section);
    sectionColumn->setContentsMargins(0, 0, 0, 0);
    sectionColumn->setSpacing(0);
    sectionColumn->addWidget(band);
    sectionColumn->addWidget(box);
    m_groups->addWidget(section, 0, Qt::AlignTop);
    return box;
}

void StepDetailsPane::clear()
{
    m_step = -1;
    m_content->setVisible(false);
}

void StepDetailsPane::showStep(const Solution& solution, int step, double threshold)
{
    if (step < 0 || step >= static_cast<int>(solution.steps.size())) {
        clear();
        return;
    }
    m_content->setVisible(true);
    m_step = step;
    const ReadStep& read = solution.steps[static_cast<std::size_t>(step)];
    if (m_pair != solution.pair) {
        m_pair = solution.pair;
        nameFigures();
    }
    m_title->setText(solution.stepName(step));
    m_badge->setLook(m_pair ? pairVerdict(solution.pairMargin()) : stepVerdict(read, threshold));
    const QString none = QStringLiteral("–");
    m_score.value->setText(read.read ? metricText(read.score, 2) : none);
    m_probability.value->setText(read.read ? metricText(read.probability, 2) : none);
    m_probability.value->setNumber(true);
    auto* label = static_cast<LabelValue*>(m_label.value);
    if (m_pair)
        label->setSide(step);
    else
        label->setStep(read);
    m_loss.value->setText(read.loss() ? metricText(read.loss(), 2) : none);
    std::vector<std::optional<double>> trend;
    for (const auto& track : solution.tracks)
        trend.push_back(track.probabilities[static_cast<std::size_t>(step)]);
    m_trendName->setText(QStringLiteral("Probability over %1 evaluations").arg(trend.size()));
    m_trendName->setVisible(trend.size() > 1);
    m_trend->setVisible(trend.size() > 1);
    m_trend->setValues(std::move(trend), threshold);
    showSums(solution);
    setRank(std::nullopt);
    showTokens();
}

void StepDetailsPane::nameFigures()
{
    m_score.name->setText(m_pair ? QStringLiteral("Reward") : QStringLiteral("Score (logit)"));
    m_probability.name->setText(m_pair ? QStringLiteral("Probability of being preferred")
                                       : QStringLiteral("Step probability"));
    m_loss.name->setVisible(!m_pair);
    m_loss.value->setVisible(!m_pair);
    m_sumsTitle->setText(m_pair ? QStringLiteral("Pair") : QStringLiteral("Solution"));
    for (std::size_t i = 0; i < kSums.size(); ++i)
        m_sumNames[i]->setText(QLatin1String(m_pair ? kPairSums[i] : kSums[i]));
    arrange();
}

void StepDetailsPane::showSums(const Solution& solution)
{
    std::array<std::optional<double>, 4> values;
    if (m_pair) {
        if (const auto margin = solution.pairMargin()) {
            // softplus(-margin), in the form that stays finite.
            const double loss = std::max(0.0, -*margin) + std::log1p(std::exp(-std::abs(*margin)));
            values = {*margin, loss, solution.steps[0].score, solution.steps[1].score};
        }
    } else if (const auto sums = solution.scores()) {
        values = {sums->minimum, sums->product, sums->mean, sums->last};
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        m_sumValues[i]->setText(metricText(values[i], i == 1 ? 3 : 2));
}

void StepDetailsPane::setRank(const std::optional<WrongStepRank>& rank)
{
    m_rank.name->setVisible(rank.has_value());
    m_rank.value->setVisible(rank.has_value());
    if (rank)
        m_rank.value->setText(QStringLiteral("%1 of %2").arg(countText(rank->rank), countText(rank->of)));
}

void StepDetailsPane::setTokens(const TokenView& tokens)
{
    m_view = tokens;
    showTokens();
}

void StepDetailsPane::clearTokens(const QString& note)
{
    m_view = {};
    if (!m_tokens)
        return;
    m_tokens->setTokens({});
    m_tokensNote->setText(note);
}

void StepDetailsPane::showTokens()
{
    if (!m_tokens || m_view.tokens.empty())
        return;
    std::vector<TokenView::Token> own;
    for (const auto& token : m_view.tokens)
        if ((m_pair ? token.sequence : token.step) == m_step)
            own.push_back(token);
    const bool last = !own.empty() && own.back().readOut;
    m_tokensNote->setText(own.empty()
                              ? QStringLiteral("cut off by the layout")
                              : QStringLiteral("%1 tokens%2")
                                    .arg(own.size())
                                    .arg(last ? QStringLiteral(", read out at the last") : QString()));
    m_tokens->setTokens(std::move(own));
}

} // namespace assay
