#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/plots/chart_line.h"

#include <optional>
#include <vector>

namespace assay {

enum class XAxis { Step, Tokens, Seconds };

/// Turns optimiser steps into tokens seen or seconds trained; grows with the run.
class RunClock
{
public:
    void add(const std::vector<ClockTick>& ticks);
    void clear();
    std::int64_t lastStep() const { return m_steps.empty() ? 0 : m_steps.back(); }
    /// Where a step lies on the axis; between known steps linear, beyond the last one at the average pace.
    double at(double step, XAxis axis) const;
    /// The step that lies there.
    double stepAt(double x, XAxis axis) const;

private:
    std::vector<std::int64_t> m_steps;
    std::vector<double> m_tokens, m_seconds; ///< sums up to and including the step
};

/// What one chart shows.
struct ChartContent
{
    std::vector<ChartLine> lines;
    std::vector<ChartBaseline> baselines;
    std::vector<ChartMark> marks;
    std::vector<ChartNote> notes;
};

/// How the curves are drawn.
struct CurveOptions
{
    XAxis axis = XAxis::Step;
    double smoothing = 0.0; ///< weight of the past in [0, 1) per step; 0 = none
};

// The pictures of the Run page as plain data, apart from the widgets so that tests can look at them.

ChartContent lossCurves(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations,
                        const CurveOptions& options, const RunClock& clock);
ChartContent accuracyCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                            const RunClock& clock);
ChartContent rankingCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                           const RunClock& clock);
ChartContent gradientCurves(const RunSnapshot& run, const CurveOptions& options, const RunClock& clock);
/// Mean probability by step position of one evaluation; x is the 1-based position.
ChartContent positionCurves(const EvaluationRecord& evaluation);

// Preference pairs.

/// Pair accuracy with its interval against chance and the better ruler.
ChartContent pairAccuracyCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                                const RunClock& clock);
/// Mean margin, and the share of tied pairs on the right axis.
ChartContent marginCurves(const std::vector<EvaluationRecord>& evaluations, const CurveOptions& options,
                          const RunClock& clock);
/// Pair accuracy of one evaluation by tokens of chosen - rejected: a model that measures length shows here.
ChartContent lengthGapCurves(const EvaluationRecord& evaluation);
/// A curve of the evaluation's report; null when it kept none of that id.
const Curve* curveOf(const EvaluationRecord& evaluation, std::string_view id);

/// Bins of `histogram_correct` or `histogram_wrong`; empty when the report has none.
std::vector<double> histogram(const EvaluationRecord& evaluation, std::string_view curve);

/// The best of the null baselines of an evaluation: metric ids that begin with `prefix` ("baseline_auroc_").
const Metric* bestBaseline(const EvaluationRecord& evaluation, std::string_view prefix);
/// "position and length" of the metric "AUROC, null: position and length".
QString baselineWord(const Metric& metric);

/// Exponential moving average with bias correction that knows the distance of the points, so that neither the
/// first points nor bucketed ones are pulled towards a wrong value. Non-finite values pass unchanged and are
/// not averaged in.
std::vector<double> smoothed(const std::vector<double>& x, const std::vector<double>& y, double weight);

} // namespace assay
