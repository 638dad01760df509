#pragma once

#include "ui/plots/chart_line.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QCPItemLine;
class QCPItemTracer;

namespace assay {

class ChartAnnotations;
class Plot;

/// Lines over a common x with bands, baselines, marks at the edge and a cursor that is linked from outside.
/// Wheel zooms x at the pointer, Shift and wheel y; dragging pans; a double click shows everything again.
class LineChart : public QWidget
{
    Q_OBJECT
public:
    explicit LineChart(QWidget* parent = nullptr);
    ~LineChart() override;

    void setTicks(TickText x, TickText y, TickText right = TickText::Number);
    /// Range of x when nothing is zoomed.
    void setFullRange(double lower, double upper);
    /// Limits that y keeps in view at least, for example [0, 1] or nothing.
    void setValueLimits(std::optional<double> lower, std::optional<double> upper);
    /// Replaces the lines. A line that only grew gets its new points appended.
    void setLines(std::vector<ChartLine> lines);
    void setBaselines(std::vector<ChartBaseline> baselines);
    void setMarks(std::vector<ChartMark> marks);
    void setNotes(std::vector<ChartNote> notes);
    /// A plain vertical line where the run is now.
    void setNow(std::optional<double> x);
    /// The dotted cursor with a hollow circle on every line; redraws only its own layer.
    void setCursor(std::optional<double> x);
    /// Follows the zoom of a linked chart; nothing is emitted.
    void setVisibleRange(double lower, double upper);
    void showAll();

    const std::vector<ChartLine>& lines() const { return m_lines; }
    const std::vector<ChartBaseline>& baselines() const;
    const std::vector<ChartMark>& marks() const;
    std::optional<double> cursor() const { return m_cursor; }
    bool zoomed() const { return m_zoomed; }
    double visibleLower() const;
    double visibleUpper() const;
    /// Points handed to the plot anew since the last call; a line that grows costs only its new points.
    std::int64_t takeDrawnPoints();

Q_SIGNALS:
    /// The pointer is over this x.
    void hovered(double x);
    void hoverEnded();
    /// Left and right keys: move the cursor by this many samples.
    void cursorStepped(int samples);
    void rangeChosen(double lower, double upper);
    void allChosen();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Drawn; ///< plot objects of one line

    void restyle();
    void drawLine(std::size_t index, const ChartLine* before);
    void styleLine(std::size_t index);
    void fitValues();
    /// The curves in words, for people who do not see them.
    void describe();
    void applyRange();
    void replot();

    Plot* m_plot = nullptr;
    std::vector<ChartLine> m_lines;
    std::vector<std::unique_ptr<Drawn>> m_drawn;
    std::unique_ptr<ChartAnnotations> m_annotations;
    QCPItemLine* m_cursorLine = nullptr;
    std::vector<QCPItemTracer*> m_circles;
    std::optional<double> m_cursor, m_valueLower, m_valueUpper;
    double m_fullLower = 0.0, m_fullUpper = 1.0;
    bool m_zoomed = false, m_valuesZoomed = false, m_following = false;
    std::int64_t m_drawnPoints = 0;
};

} // namespace assay
