#pragma once

#include "ui/plots/chart_line.h"

#include <QWidget>

#include <optional>
#include <vector>

class QCPBars;
class QCPItemLine;
class QCPItemText;

namespace assay {

class Plot;
class HatchedSteps;

/// Two histograms over one axis, one as filled bars, one hatched with an outline. Step probabilities by
/// label: each normalised to 100 %, with the threshold and the best threshold as vertical lines. Margins of
/// pairs: in the right order and in the wrong one, normalised together, with a line where both rewards are
/// equal.
class HistogramChart : public QWidget
{
    Q_OBJECT
public:
    explicit HistogramChart(QWidget* parent = nullptr);

    /// Counts or shares per bin over [0, 1]; both have the same number of bins.
    void setHistograms(std::vector<double> correct, std::vector<double> wrong);
    void setThresholds(double threshold, std::optional<double> best);
    /// Share of pairs per bin; `centres` ascending, equally far apart, 0 is a border.
    void setMargins(const std::vector<double>& centres, const std::vector<double>& shares);

    /// Shares as drawn, in percent.
    const std::vector<double>& correct() const { return m_correct; }
    const std::vector<double>& wrong() const { return m_wrong; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct VerticalLine
    {
        QCPItemLine* line = nullptr;
        QCPItemText* text = nullptr;
    };
    VerticalLine makeVertical();
    static void place(VerticalLine& vertical, double x, const QString& text, double row, Qt::Alignment side);
    void setBins(double lower, double upper);
    void restyle();
    void placeTexts();

    Plot* m_plot = nullptr;
    QCPBars* m_bars = nullptr;
    HatchedSteps* m_steps = nullptr;
    std::vector<double> m_correct, m_wrong;
    double m_threshold = 0.5;
    std::optional<double> m_best;
    VerticalLine m_thresholdLine, m_bestLine;
};

} // namespace assay
