#pragma once

#include "ui/models/checkpoint_model.h"

#include <QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace assay {

/// The checkpoints of a run, and what can be done with the chosen one.
class CheckpointPane : public QWidget
{
    Q_OBJECT
public:
    explicit CheckpointPane(QWidget* parent = nullptr);

    CheckpointModel& model() { return *m_model; }
    QListView& list() { return *m_list; }
    /// The row of buttons, for the header of the pane that shows this one.
    QWidget* tools() const { return m_tools; }
    void setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations);

Q_SIGNALS:
    void evaluateAsked(qint64 step);
    void stepsAsked(qint64 evaluation);
    void startAsked(qint64 step);
    void exportAsked(qint64 step);

private:
    void updateButtons();

    CheckpointModel* m_model = nullptr;
    QListView* m_list = nullptr;
    QWidget* m_tools = nullptr;
    QLabel* m_rule = nullptr;
    QPushButton *m_evaluate = nullptr, *m_steps = nullptr, *m_start = nullptr, *m_export = nullptr;
};

} // namespace assay
