#pragma once

#include "ui/plots/chart_line.h"

#include <QRectF>

#include <cstdint>
#include <optional>
#include <vector>

class QCPItemLine;
class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;

namespace assay {

/// What a chart says beside its curves: baselines with their names, marks at the upper edge, where the run is
/// now.
class ChartAnnotations
{
public:
    explicit ChartAnnotations(QCustomPlot* plot);

    void setBaselines(std::vector<ChartBaseline> baselines);
    void setMarks(std::vector<ChartMark> marks);
    void setNotes(std::vector<ChartNote> notes);
    void setNow(std::optional<double> x);
    const std::vector<ChartBaseline>& baselines() const { return m_baselines; }
    const std::vector<ChartMark>& marks() const { return m_marks; }

    /// Colours and fonts from the active palette.
    void restyle();

private:
    void drawBaselines();
    void drawMarks();
    void drawNotes();
    /// Before every replot, when pixel positions are known: names that would collide move below their line,
    /// and so do those with fewer points of the curves there.
    void placeTexts();
    /// Points of all curves in a rectangle of the plot.
    std::int64_t pointsIn(const QRectF& area) const;

    QCustomPlot* m_plot;
    std::vector<ChartBaseline> m_baselines;
    std::vector<ChartMark> m_marks;
    std::vector<QCPItemStraightLine*> m_lines;
    std::vector<QCPItemText*> m_texts;
    std::vector<QCPItemText*> m_markTexts;
    std::vector<ChartNote> m_notes;
    std::vector<QCPItemText*> m_noteTexts;
    QCPItemLine* m_now = nullptr;
};

} // namespace assay
