#include "ui/pages/run/run_plots.h"

#include "ui/number_text.h"
#include "ui/plots/chart_card.h"
#include "ui/plots/histogram_chart.h"
#include "ui/plots/line_chart.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

constexpr int kGap = 8, kMargin = 12, kRowHeight = 224;

std::vector<LegendEntry> legendOf(const std::vector<ChartLine>& lines)
{
    std::vector<LegendEntry> legend;
    for (const auto& line : lines)
        if (!line.name.isEmpty())
            legend.push_back({line.name, line.color, line.dash, line.marker, LegendEntry::Sample::Line});
    return legend;
}

} // namespace

RunPlots::RunPlots(QWidget* parent)
    : QWidget(parent)
    , m_loss(new LineChart)
    , m_accuracy(new LineChart)
    , m_ranking(new LineChart)
    , m_gradient(new LineChart)
    , m_position(new LineChart)
    , m_histogram(new HistogramChart)
{
    setObjectName(QStringLiteral("runPlots"));
    for (QWidget* chart :
         std::initializer_list<QWidget*>{m_loss, m_accuracy, m_ranking, m_histogram, m_position, m_gradient})
        m_cards.push_back(new ChartCard({}, chart, this));
    m_cards[0]->setTitle(tr("Loss"));
    m_cards[5]->setTitle(tr("Gradient norm"));
    setTask(false);
    m_gradient->setAccessibleName(tr("Gradient norm and learning rate"));
    m_gradient->setTicks(TickText::Count, TickText::Number, TickText::Rate);
    m_gradient->setValueLimits(0.0, std::nullopt);
    m_position->setTicks(TickText::Count, TickText::Number);
    linkCharts();
}

void RunPlots::setTask(bool pairs)
{
    m_pairs = pairs;
    m_cards[1]->setTitle(pairs ? tr("Pair accuracy") : tr("Accuracy"));
    m_cards[2]->setTitle(pairs ? tr("Mean margin and ties") : tr("AUROC and bal. acc."));
    m_cards[3]->setTitle(pairs ? tr("Margins") : tr("Step probability by label"));
    m_cards[4]->setTitle(pairs ? tr("Accuracy by length difference") : tr("Step probability by position"));
    const auto entry = [](const QString& name, ColorOf color, LegendEntry::Sample sample) {
        return LegendEntry{name, color, Dash::Solid, Marker::None, sample};
    };
    m_cards[3]->setLegend({entry(
                               pairs ? tr("right order") : tr("correct"),
                               [](const Palette& p) { return p.reward[4]; }, LegendEntry::Sample::Filled),
                           entry(
                               pairs ? tr("wrong order") : tr("wrong"),
                               [](const Palette& p) { return p.reward[0]; }, LegendEntry::Sample::Hatched)});
    m_ranking->setAccessibleName(pairs ? tr("Mean margin and tied pairs")
                                       : tr("AUROC and balanced accuracy"));
}

void RunPlots::linkCharts()
{
    for (auto* chart : linked()) {
        connect(chart, &LineChart::hovered, this, [this](double x) {
            const double step = std::max(0.0, std::round(m_clock.stepAt(x, m_options.axis)));
            setCursorStep(step);
            Q_EMIT cursorMoved(step);
        });
        connect(chart, &LineChart::cursorStepped, this, &RunPlots::stepCursor);
        connect(chart, &LineChart::rangeChosen, this, [this, chart](double lower, double upper) {
            for (auto* other : linked())
                if (other != chart)
                    other->setVisibleRange(lower, upper);
            Q_EMIT zoomChanged();
        });
        connect(chart, &LineChart::allChosen, this, [this, chart] {
            for (auto* other : linked())
                if (other != chart)
                    other->showAll();
            Q_EMIT zoomChanged();
        });
    }
}

void RunPlots::setOptions(const CurveOptions& options)
{
    const bool otherAxis = options.axis != m_options.axis;
    m_options = options;
    if (otherAxis) {
        const TickText ticks = options.axis == XAxis::Seconds ? TickText::Duration : TickText::Count;
        for (auto* chart : linked())
            chart->setTicks(ticks, TickText::Number, TickText::Rate);
        for (auto* chart : linked())
            chart->showAll();
    }
}

void RunPlots::setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations)
{
    if (const bool pairs = run.details.summary.task == "Pairs"; pairs != m_pairs)
        setTask(pairs);
    m_clock.add(run.clock);
    draw(run, evaluations);
    // A run in progress comes several times a second, an evaluation of it now and then.
    const std::pair of(run.details.summary.id, evaluations.empty() ? 0 : evaluations.back().id);
    if (std::exchange(m_distributionsOf, of) != of)
        drawDistributions(evaluations);
}

void RunPlots::draw(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations)
{
    const auto& summary = run.details.summary;
    const double end = static_cast<double>(
        std::max(summary.step, run.alive() || summary.step == 0 ? summary.plannedSteps : summary.step));
    const double upper = m_clock.at(std::max(end, 1.0), m_options.axis);
    for (auto* chart : linked())
        chart->setFullRange(0.0, upper * 1.015); // room for the last marker
    const auto show = [](LineChart* chart, ChartCard* card, ChartContent content) {
        card->setLegend(legendOf(content.lines));
        chart->setMarks(std::move(content.marks));
        chart->setBaselines(std::move(content.baselines));
        chart->setLines(std::move(content.lines));
    };
    show(m_loss, m_cards[0], lossCurves(run, evaluations, m_options, m_clock));
    show(m_accuracy, m_cards[1],
         m_pairs ? pairAccuracyCurves(evaluations, m_options, m_clock)
                 : accuracyCurves(evaluations, m_options, m_clock));
    show(m_ranking, m_cards[2],
         m_pairs ? marginCurves(evaluations, m_options, m_clock)
                 : rankingCurves(evaluations, m_options, m_clock));
    show(m_gradient, m_cards[5], gradientCurves(run, m_options, m_clock));
    m_cards[5]->setEmptyText(run.gradientNorm.empty() ? tr("Drawn after the first optimiser step")
                                                      : QString());
    m_cards[0]->setEmptyText(
        run.loss.empty() && evaluations.empty() ? tr("Drawn after the first evaluation or step") : QString());
    const std::optional<double> now =
        run.alive() && summary.step > 0
            ? std::optional(m_clock.at(static_cast<double>(summary.step), m_options.axis))
            : std::nullopt;
    for (auto* chart : linked())
        chart->setNow(now);
    m_samples.clear();
    for (const auto& evaluation : evaluations)
        m_samples.push_back(static_cast<double>(evaluation.step));
    setCursorStep(m_cursorStep);
}

void RunPlots::drawDistributions(const std::vector<EvaluationRecord>& evaluations)
{
    const QString none = tr("Drawn after the first evaluation");
    for (const std::size_t card : {1U, 2U, 3U, 4U})
        m_cards[card]->setEmptyText(evaluations.empty() ? none : QString());
    if (evaluations.empty())
        return;
    if (m_pairs)
        drawPairs(evaluations.back());
    else
        drawSteps(evaluations.back());
}

void RunPlots::drawSteps(const EvaluationRecord& last)
{
    m_cards[1]->setTitle(tr("Accuracy at %1").arg(metricText(last.threshold, 2)));
    auto correct = histogram(last, "histogram_correct");
    auto wrong = histogram(last, "histogram_wrong");
    m_cards[3]->setEmptyText(correct.empty() ? tr("The evaluation kept no histogram") : QString());
    std::optional<double> best = last.suggestedThreshold;
    if (const Metric* metric = last.report.metric("best_threshold"); !best && metric)
        best = metric->value;
    m_histogram->setHistograms(std::move(correct), std::move(wrong));
    m_histogram->setThresholds(last.threshold, best);
    drawProfile(positionCurves(last), 0.3, tr("The evaluation kept no positions"));
}

void RunPlots::drawPairs(const EvaluationRecord& last)
{
    const Curve* margins = curveOf(last, "margin_histogram");
    m_cards[3]->setEmptyText(margins ? QString() : tr("The evaluation kept no margins"));
    if (margins)
        m_histogram->setMargins(margins->x, margins->y);
    drawProfile(lengthGapCurves(last), 1.0, tr("The evaluation kept no lengths"));
}

void RunPlots::drawProfile(ChartContent content, double leastPad, const QString& none)
{
    m_cards[4]->setEmptyText(content.lines.empty() ? none : QString());
    if (content.lines.empty())
        return;
    std::vector<double> ends;
    for (const auto& line : content.lines)
        if (!line.x.empty())
            ends.insert(ends.end(), {line.x.front(), line.x.back()});
    const double lower = ends.empty() ? 0.0 : *std::min_element(ends.begin(), ends.end());
    const double upper = ends.empty() ? 1.0 : *std::max_element(ends.begin(), ends.end());
    const double pad = std::max(leastPad, (upper - lower) * 0.04);
    m_position->setFullRange(lower - pad, upper + pad);
    m_cards[4]->setLegend(legendOf(content.lines));
    m_position->setBaselines(std::move(content.baselines));
    m_position->setNotes(std::move(content.notes));
    m_position->setLines(std::move(content.lines));
}

void RunPlots::clear()
{
    m_clock.clear();
    m_cursorStep.reset();
    for (auto* chart : linked())
        chart->showAll();
}

void RunPlots::setCursorStep(std::optional<double> step)
{
    m_cursorStep = step;
    const auto x = step ? std::optional(m_clock.at(*step, m_options.axis)) : std::nullopt;
    for (auto* chart : linked())
        chart->setCursor(x);
}

void RunPlots::stepCursor(int samples)
{
    if (m_samples.empty())
        return;
    const double at = m_cursorStep.value_or(m_samples.back());
    const auto after = std::lower_bound(m_samples.begin(), m_samples.end(), at);
    auto index = static_cast<std::ptrdiff_t>(after - m_samples.begin());
    const bool between = after == m_samples.end() || *after != at;
    index += samples - (between && samples > 0 ? 1 : 0);
    index = std::clamp<std::ptrdiff_t>(index, 0, static_cast<std::ptrdiff_t>(m_samples.size()) - 1);
    setCursorStep(m_samples[static_cast<std::size_t>(index)]);
    Q_EMIT cursorMoved(*m_cursorStep);
}

std::pair<double, double> RunPlots::visibleSteps() const
{
    if (!m_loss->zoomed())
        return {0.0, 0.0};
    const double lower = std::floor(m_clock.stepAt(std::max(0.0, m_loss->visibleLower()), m_options.axis));
    const double upper = std::ceil(m_clock.stepAt(std::max(0.0, m_loss->visibleUpper()), m_options.axis));
    return {lower, std::max(upper, lower + 1.0)};
}

void RunPlots::setColumns(int columns)
{
    m_columns = columns;
    place();
}

int RunPlots::heightFor(int available) const
{
    const int rows = (static_cast<int>(m_cards.size()) + m_columns - 1) / m_columns;
    const int least = 2 * scaled(kMargin) + rows * scaled(kRowHeight) + (rows - 1) * scaled(kGap);
    return std::max(least, m_columns >= 3 ? available : 0);
}

void RunPlots::place()
{
    const int rows = (static_cast<int>(m_cards.size()) + m_columns - 1) / m_columns;
    const double gap = scaled(kGap), margin = scaled(kMargin);
    const double cardWidth = (width() - 2 * margin - gap * (m_columns - 1)) / m_columns;
    const double cardHeight = (height() - 2 * margin - gap * (rows - 1)) / rows;
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const int column = static_cast<int>(i) % m_columns, row = static_cast<int>(i) / m_columns;
        const QRectF place(margin + column * (cardWidth + gap), margin + row * (cardHeight + gap), cardWidth,
                           cardHeight);
        m_cards[i]->setGeometry(place.toRect());
    }
}

void RunPlots::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

} // namespace assay
