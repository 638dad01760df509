#pragma once

#include "ui/models/read_out_model.h"
#include "ui/models/run_curves.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QSpinBox;
class QTableView;

namespace assay {

/// The values of every series at the cursor, and how the plots are drawn.
class ReadOutPane : public QWidget
{
    Q_OBJECT
public:
    explicit ReadOutPane(QWidget* parent = nullptr);

    ReadOutModel& model() { return *m_model; }
    void setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations);
    void setCursorStep(double step);
    void copyTable() const;

Q_SIGNALS:
    void cursorChosen(double step);
    void optionsChanged(const assay::CurveOptions& options);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeTitle();
    QWidget* makeSettings();
    void spanGroups();

    ReadOutModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QSpinBox* m_cursor = nullptr;
    QLabel* m_footnote = nullptr;
    QComboBox* m_axis = nullptr;
    QSlider* m_smoothing = nullptr;
    QLabel* m_smoothingText = nullptr;
};

} // namespace assay
