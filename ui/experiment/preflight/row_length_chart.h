#pragma once

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QPainter;

namespace assay {

/// What the limit of a layout costs, as the chart says it.
struct LengthLimit
{
    double tokens = 0.0;
    QString rowsLost;   ///< "218 rows dropped"
    QString labelsLost; ///< "lost: 1.9 % of wrong labels, 0.2 % of correct ones"
};

/// Rows by their tokens before the cut as bars, those beyond the limit in red, the limit as a dashed line
/// with its cost beside it.
class RowLengthChart : public QWidget
{
    Q_OBJECT
public:
    explicit RowLengthChart(QWidget* parent = nullptr);
    /// `starts[i]`: where bin i begins, evenly spaced from 0; `rows[i]`: rows in it.
    void setLengths(std::vector<double> starts, std::vector<double> rows, std::optional<LengthLimit> limit);
    const std::vector<double>& rows() const { return m_rows; }
    /// Distance of the ticks: 1, 2 or 5 times a power of ten, at most five steps over `span`.
    static double tickStep(double span);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// What the words above the bars need.
    double headroom(const QFontMetrics& metrics, double width) const;
    void paintLimit(QPainter* painter, const QRectF& plot, double span) const;

    std::vector<double> m_starts, m_rows;
    std::optional<LengthLimit> m_limit;
};

} // namespace assay
