#pragma once

#include "ui/models/run_curves.h"

#include <QWidget>

#include <array>
#include <optional>

namespace assay {

class ChartCard;
class HistogramChart;
class LineChart;

/// The six charts of a run in a grid that wraps; cursor and zoom are linked over those that share the x axis.
class RunPlots : public QWidget
{
    Q_OBJECT
public:
    explicit RunPlots(QWidget* parent = nullptr);

    void setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations);
    void setOptions(const CurveOptions& options);
    const CurveOptions& options() const { return m_options; }
    RunClock& clock() { return m_clock; }
    void clear();

    /// The cursor, as an optimiser step; none = no cursor.
    void setCursorStep(std::optional<double> step);
    std::optional<double> cursorStep() const { return m_cursorStep; }
    /// Visible part of the x axis as optimiser steps; 0, 0 = all.
    std::pair<double, double> visibleSteps() const;

    /// Rows and columns are chosen so that every card keeps at least 320 x 200 (at 13 px).
    void setColumns(int columns);
    int heightFor(int available) const;

    LineChart* lossChart() const { return m_loss; }
    LineChart* accuracyChart() const { return m_accuracy; }
    LineChart* rankingChart() const { return m_ranking; }
    LineChart* gradientChart() const { return m_gradient; }
    LineChart* positionChart() const { return m_position; }
    HistogramChart* histogramChart() const { return m_histogram; }

Q_SIGNALS:
    void cursorMoved(double step);
    void zoomChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::array<LineChart*, 4> linked() const { return {m_loss, m_accuracy, m_ranking, m_gradient}; }
    /// Titles and legends of a run on pairs, or of one on steps.
    void setTask(bool pairs);
    void linkCharts();
    void draw(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations);
    void drawDistributions(const std::vector<EvaluationRecord>& evaluations);
    void drawSteps(const EvaluationRecord& last);
    void drawPairs(const EvaluationRecord& last);
    void drawProfile(ChartContent content, double leastPad, const QString& none);
    void stepCursor(int samples);
    void place();

    LineChart *m_loss, *m_accuracy, *m_ranking, *m_gradient, *m_position;
    HistogramChart* m_histogram;
    std::vector<ChartCard*> m_cards;
    CurveOptions m_options;
    RunClock m_clock;
    std::optional<double> m_cursorStep;
    std::vector<double> m_samples; ///< steps the arrow keys move over
    int m_columns = 3;
    bool m_pairs = false;
    std::optional<std::pair<RunId, std::int64_t>> m_distributionsOf; ///< run and its evaluation
};

} // namespace assay
