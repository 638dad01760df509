#pragma once

#include "core/eval/report.h"

#include <QWidget>

#include <optional>

namespace assay {

/// Labels of the training rows by kind.
struct Census
{
    double correct = 0.0, wrong = 0.0, unsupervised = 0.0;
    std::optional<double> evaluationWrong, evaluationSupervised;
};

/// A bar of the labels (correct, wrong hatched, not supervised dotted) with their counts below.
class CensusView : public QWidget
{
    Q_OBJECT
public:
    explicit CensusView(QWidget* parent = nullptr);
    void setCensus(const Census& census);
    const Census& census() const { return m_census; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Census m_census;
};

/// Base rate by step position as a line over bars with the number of steps.
class PositionChart : public QWidget
{
    Q_OBJECT
public:
    explicit PositionChart(QWidget* parent = nullptr);
    /// `counts` may be empty; `all` is the base rate of all steps.
    void setRates(std::vector<double> rates, std::vector<double> counts, double all);
    const std::vector<double>& rates() const { return m_rates; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<double> m_rates, m_counts;
    double m_all = 0.0;
};

} // namespace assay
