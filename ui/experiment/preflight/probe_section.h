#pragma once

#include "core/base/result.h"
#include "core/run/session.h"

#include <QWidget>

class QPushButton;

namespace assay {

class TextLabel;

/// The memory of one step by part (weights, gradients, optimiser, activations) as a bar with its key below,
/// on what the device has free where that can be seen at all.
class MemoryBar : public QWidget
{
    Q_OBJECT
public:
    explicit MemoryBar(QWidget* parent = nullptr);
    void setProbe(const StepProbe& probe);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    StepProbe m_probe;
};

/// Memory and time of the run, measured by one optimiser step: bar, legend, figures, how it was estimated,
/// and a button that measures again.
class ProbeSection : public QWidget
{
    Q_OBJECT
public:
    explicit ProbeSection(QWidget* parent = nullptr);

    void showProbe(const StepProbe& probe);
    void showMeasuring();
    void showError(const Error& error);
    /// Nothing was measured: the sentence says why.
    void showNothing(const QString& why);
    /// The shown figures belong to settings that have changed since.
    void setStale(const QString& why);
    /// False with the reason why nothing can be measured now.
    void setCanMeasure(bool can, const QString& reason);

Q_SIGNALS:
    void measureAsked();

private:
    void say(const QString& text, bool wrong);

    QPushButton* m_again = nullptr;
    TextLabel* m_status = nullptr;
    TextLabel* m_message = nullptr;
    QWidget* m_body = nullptr;
    MemoryBar* m_bar = nullptr;
    TextLabel* m_peak = nullptr;
    TextLabel* m_largest = nullptr;
    TextLabel* m_steps = nullptr;
    TextLabel* m_evaluations = nullptr;
    TextLabel* m_total = nullptr;
    TextLabel* m_method = nullptr;
};

} // namespace assay
