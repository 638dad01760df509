#include "ui/models/run_curves.h"

#include "ui/number_text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr ColorOf kTrain = [](const Palette& p) { return p.text3; };
constexpr ColorOf kEvaluation = [](const Palette& p) { return p.accent; };
constexpr ColorOf kSecond = [](const Palette& p) { return p.run[7]; };
constexpr ColorOf kCorrect = [](const Palette& p) { return p.reward[4]; };
constexpr ColorOf kWrong = [](const Palette& p) { return p.reward[0]; };
constexpr ColorOf kReference = [](const Palette& p) { return p.text2; };

/// A stored series: every bucket gives its extremes and its last value, so that no spike is lost.
ChartLine denseLine(const QString& name, ColorOf color, const std::vector<SeriesPoint>& points,
                    const CurveOptions& options, const RunClock& clock)
{
    ChartLine line;
    line.name = name;
    line.color = color;
    line.width = 1.0;
    const auto add = [&line](double x, double y) {
        line.x.push_back(x);
        line.y.push_back(y);
    };
    for (const auto& point : points) {
        const double x = clock.at(point.step, options.axis);
        if (point.count > 1 && std::isfinite(point.minimum)) {
            add(x, point.minimum);
            add(x, point.maximum);
        }
        add(x, point.last);
    }
    return line;
}

/// The raw curve, and with smoothing the smoothed one in front of it.
void addDense(ChartContent& content, const QString& name, ColorOf color,
              const std::vector<SeriesPoint>& points, const CurveOptions& options, const RunClock& clock)
{
    ChartLine raw = denseLine(name, color, points, options, clock);
    if (options.smoothing > 0.0) {
        ChartLine front;
        front.name = name;
        front.color = color;
        std::vector<double> steps;
        for (const auto& point : points) {
            steps.push_back(point.step);
            front.x.push_back(clock.at(point.step, options.axis));
            front.y.push_back(point.last);
        }
        front.y = smoothed(steps, front.y, options.smoothing);
        raw.name.clear();
        raw.opacity = 0.35;
        raw.followed = false;
        content.lines.push_back(std::move(raw));
        content.lines.push_back(std::move(front));
    } else {
        content.lines.push_back(std::move(raw));
    }
}

ChartLine metricLine(const QString& name, ColorOf color, Marker marker,
                     const std::vector<EvaluationRecord>& evaluations, std::string_view id,
                     const CurveOptions& options, const RunClock& clock)
{
    ChartLine line;
    line.name = name;
    line.color = color;
    line.marker = marker;
    bool intervals = false;
    for (const auto& evaluation : evaluations) {
        const Metric* metric = evaluation.report.metric(id);
        line.x.push_back(clock.at(static_cast<double>(evaluation.step), options.axis));
        line.y.push_back(metric && metric->value ? *metric->value : kNaN);
        line.low.push_back(metric && metric->low ? *metric->low : line.y.back());
        line.high.push_back(metric && metric->high ? *metric->high : line.y.back());
        intervals = intervals || (metric && metric->low);
    }
    if (!intervals) {
        line.low.clear();
        line.high.clear();
    }
    return line;
}

void addBaseline(ChartContent& content, const QString& word, std::optional<double> value, bool dotted,
                 bool withValue = true)
{
    if (value && std::isfinite(*value))
        content.baselines.push_back(
            {withValue ? QStringLiteral("%1 %2").arg(word, metricText(value)) : word, *value, dotted});
}

std::optional<double> value(const EvaluationRecord& evaluation, std::string_view id)
{
    const Metric* metric = evaluation.report.metric(id);
    return metric ? metric->value : std::nullopt;
}

} // namespace

void RunClock::add(const std::vector<ClockTick>& ticks)
{
    for (const auto& tick : ticks) {
        if (tick.step <= lastStep())
            continue;
        m_tokens.push_back((m_tokens.empty() ? 0.0 : m_tokens.back()) + tick.tokens);
        m_seconds.push_back((m_seconds.empty() ? 0.0 : m_seconds.back()) + tick.seconds);
        m_steps.push_back(tick.step);
    }
}

void RunClock::clear()
{
    m_steps.clear();
    m_tokens.clear();
    m_seconds.clear();
}

double RunClock::at(double step, XAxis axis) const
{
    if (axis == XAxis::Step)
        return step;
    const auto& sums = axis == XAxis::Tokens ? m_tokens : m_seconds;
    if (sums.empty() || step <= 0.0)
        return 0.0;
    const auto last = static_cast<double>(m_steps.back());
    if (step >= last)
        return sums.back() * step / last;
    const auto after =
        std::upper_bound(m_steps.begin(), m_steps.end(), step,
                         [](double s, std::int64_t known) { return s < static_cast<double>(known); });
    const auto i = static_cast<std::size_t>(after - m_steps.begin());
    const double x0 = i == 0 ? 0.0 : static_cast<double>(m_steps[i - 1]), y0 = i == 0 ? 0.0 : sums[i - 1];
    const double x1 = static_cast<double>(m_steps[i]);
    return y0 + (sums[i] - y0) * (step - x0) / (x1 - x0);
}

double RunClock::stepAt(double x, XAxis axis) const
{
    if (axis == XAxis::Step)
        return x;
    const auto& sums = axis == XAxis::Tokens ? m_tokens : m_seconds;
    if (sums.empty() || sums.back() <= 0.0)
        return 0.0;
    if (x >= sums.back())
        return static_cast<double>(m_steps.back()) * x / sums.back();
    const auto after = std::upper_bound(sums.begin(), sums.end(), x);
    const auto i = static_cast<std::size_t>(after - sums.begin());
    const double y0 = i == 0 ? 0.0 : sums[i - 1], x0 = i == 0 ? 0.0 : static_cast<double>(m_steps[i - 1]);
    return x0 + (static_cast<double>(m_steps[i]) - x0) * (x - y0) / std::max(sums[i] - y0, 1e-300);
}

ChartContent lossCurves(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations,
                        const CurveOptions& options, const RunClock& clock)
{
    ChartContent content;
    addDense(content, QStringLiteral("train"), kTrain, run.loss, options, clock);
    ChartLine line =
        metricLine(QStringLiteral("eval"), kEvaluation, Marker::Circle, evaluations, "loss", options, clock);
    for (std::size_t i = 0; i < evaluations.size(); ++i)
        if (std::isnan(line.y[i]))
            line.y[i] = evaluations[i].loss;
    content.lines.push_back(std::move(line));
    if (!evaluations.empty())
        addBaseline(content, QStringLiteral("trivial"), value(evaluations.back(), "trivial_loss"), false);
    for (const auto& point : run.loss)
        if (!std::isfinite(point.last))
            content.marks.push_back({clock.at(point.step, options.axis),
                                     std::isnan(point.last) ? QStringLiteral("NaN") : QStringLiteral("∞")});
    // A bucket keeps only its last value; the log names every step at which something was not finite.
    for (const auto& event : run.events) {
        const double x = clock.at(static_cast<double>(event.step), options.axis);
        const bool known = std::any_of(content.marks.begin(), content.marks.end(),
                                       [x](const ChartMark& mark) { return mark.x == x; });
        if (event.kind == "non-finite" && !known)
            content.marks.push_back({x, QStringLiteral("NaN")});
    }
    return content;
}

ChartContent accuracyCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                            const RunClock& clock)
{
    ChartContent content;
    content.lines.push_back(metricLine(QStringLiteral("eval"), kEvaluation, Marker::Circle, evaluations,
                                       "accuracy", options, clock));
    if (evaluations.empty())
        return content;
    addBaseline(content, QStringLiteral("base rate"), value(evaluations.back(), "base_rate"), false);
    if (const Metric* best = bestBaseline(evaluations.back(), "baseline_accuracy_"))
        addBaseline(content, QStringLiteral("null: %1").arg(baselineWord(*best)), best->value, true);
    return content;
}

ChartContent rankingCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                           const RunClock& clock)
{
    ChartContent content;
    content.lines.push_back(metricLine(QStringLiteral("AUROC"), kEvaluation, Marker::Circle, evaluations,
                                       "auroc", options, clock));
    content.lines.push_back(metricLine(QStringLiteral("bal. acc."), kSecond, Marker::Square, evaluations,
                                       "balanced_accuracy", options, clock));
    content.lines.back().dash = Dash::Dashed;
    addBaseline(content, QStringLiteral("chance"), 0.5, false, false);
    if (!evaluations.empty())
        if (const Metric* best = bestBaseline(evaluations.back(), "baseline_auroc_"))
            addBaseline(content, QStringLiteral("null AUROC"), best->value, true);
    return content;
}

ChartContent gradientCurves(const RunSnapshot& run, const CurveOptions& options, const RunClock& clock)
{
    ChartContent content;
    addDense(content, QStringLiteral("norm"), kTrain, run.gradientNorm, options, clock);
    ChartLine rate = denseLine(QStringLiteral("lr"), kSecond, run.learningRate, {options.axis, 0.0}, clock);
    rate.rightAxis = true;
    rate.dash = Dash::Dashed;
    rate.width = 1.5;
    content.lines.push_back(std::move(rate));
    if (run.config && run.config->optimiser.maximumGradientNorm > 0.0) {
        const double clip = run.config->optimiser.maximumGradientNorm;
        content.baselines.push_back({QStringLiteral("clip %1").arg(rateText(clip)), clip, true});
    }
    return content;
}

ChartContent positionCurves(const EvaluationRecord& evaluation)
{
    ChartContent content;
    const auto add = [&](const char* id, const QString& name, ColorOf color, Marker marker) {
        const Curve* mean = curveOf(evaluation, id);
        if (!mean)
            return;
        ChartLine line;
        line.name = name;
        line.color = color;
        line.marker = marker;
        line.x = mean->x;
        line.y = mean->y;
        const Curve* low = curveOf(evaluation, std::string(id) + "_low");
        const Curve* high = curveOf(evaluation, std::string(id) + "_high");
        if (low && high && low->y.size() == line.y.size() && high->y.size() == line.y.size()) {
            line.low = low->y;
            line.high = high->y;
        }
        content.lines.push_back(std::move(line));
    };
    add("position_correct", QStringLiteral("correct"), kCorrect, Marker::Circle);
    add("position_wrong", QStringLiteral("wrong"), kWrong, Marker::Diamond);
    add("position_base_rate", {}, kReference, Marker::None);
    if (!content.lines.empty() && content.lines.back().marker == Marker::None) {
        ChartLine& base = content.lines.back();
        base.dash = Dash::Dashed;
        base.width = 1.0;
        base.followed = false;
        const std::size_t middle = base.x.size() / 2;
        if (middle < base.x.size() && std::isfinite(base.y[middle]))
            content.notes.push_back({base.x[middle], base.y[middle], QStringLiteral("base rate")});
    }
    return content;
}

ChartContent pairAccuracyCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                                const RunClock& clock)
{
    ChartContent content;
    content.lines.push_back(metricLine(QStringLiteral("eval"), kEvaluation, Marker::Circle, evaluations,
                                       "pair_accuracy", options, clock));
    addBaseline(content, QStringLiteral("chance"), 0.5, false, false);
    if (!evaluations.empty())
        if (const Metric* best = bestBaseline(evaluations.back(), "baseline_accuracy_"))
            addBaseline(content, QStringLiteral("null: %1").arg(baselineWord(*best)), best->value, true);
    return content;
}

ChartContent marginCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                          const RunClock& clock)
{
    ChartContent content;
    content.lines.push_back(metricLine(QStringLiteral("margin"), kEvaluation, Marker::Circle, evaluations,
                                       "margin_mean", options, clock));
    ChartLine ties =
        metricLine(QStringLiteral("tied"), kSecond, Marker::Square, evaluations, "tie_rate", options, clock);
    ties.low.clear();
    ties.high.clear();
    ties.rightAxis = true;
    ties.dash = Dash::Dashed;
    content.lines.push_back(std::move(ties));
    addBaseline(content, QStringLiteral("equal rewards"), 0.0, false, false);
    return content;
}

ChartContent lengthGapCurves(const EvaluationRecord& evaluation)
{
    ChartContent content;
    const Curve* accuracy = curveOf(evaluation, "accuracy_by_length_gap");
    if (!accuracy || accuracy->x.empty())
        return content;
    ChartLine line;
    line.name = QStringLiteral("eval");
    line.color = kEvaluation;
    line.marker = Marker::Circle;
    line.x = accuracy->x;
    line.y = accuracy->y;
    const Curve* low = curveOf(evaluation, "accuracy_by_length_gap_low");
    const Curve* high = curveOf(evaluation, "accuracy_by_length_gap_high");
    if (low && high && low->y.size() == line.y.size() && high->y.size() == line.y.size()) {
        line.low = low->y;
        line.high = high->y;
    }
    content.lines.push_back(std::move(line));
    addBaseline(content, QStringLiteral("chance"), 0.5, false, false);
    return content;
}

const Curve* curveOf(const EvaluationRecord& evaluation, std::string_view id)
{
    for (const auto& curve : evaluation.report.curves)
        if (curve.id == id)
            return &curve;
    return nullptr;
}

std::vector<double> histogram(const EvaluationRecord& evaluation, std::string_view id)
{
    const Curve* found = curveOf(evaluation, id);
    return found ? found->y : std::vector<double>{};
}

const Metric* bestBaseline(const EvaluationRecord& evaluation, std::string_view prefix)
{
    const Metric* best = nullptr;
    for (const auto& metric : evaluation.report.metrics)
        if (metric.id.rfind(prefix, 0) == 0 && metric.value && (!best || *metric.value > *best->value))
            best = &metric;
    return best;
}

QString baselineWord(const Metric& metric)
{
    const QString title = QString::fromStdString(metric.title);
    const QString mark = QStringLiteral("null: ");
    const auto at = title.indexOf(mark);
    return at < 0 ? title.toLower() : title.mid(at + mark.size());
}

std::vector<double> smoothed(const std::vector<double>& x, const std::vector<double>& y, double weight)
{
    std::vector<double> result(y.size(), kNaN);
    double sum = 0.0, mass = 0.0, previous = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (!std::isfinite(y[i])) {
            result[i] = y[i];
            continue;
        }
        // The past fades by `weight` per step; the mass is what is left of it, so the first points are
        // unbiased.
        const double fade = mass > 0.0 ? std::pow(weight, std::max(0.0, x[i] - previous)) : 0.0;
        sum = fade * sum + (1.0 - weight) * y[i];
        mass = fade * mass + (1.0 - weight);
        previous = x[i];
        result[i] = sum / mass;
    }
    return result;
}

} // namespace assay
