#pragma once

#include "core/store/checkpoint_list.h"
#include "ui/models/event_model.h"

#include <QWidget>

class QLabel;
class QListView;

namespace assay {

class CheckpointPane;
class PageStack;
class SegmentedButtons;

/// The event log of a run, newest first, with all events or warnings only; and its checkpoints.
class EventPane : public QWidget
{
    Q_OBJECT
public:
    explicit EventPane(QWidget* parent = nullptr);
    EventModel& model() { return *m_model; }
    CheckpointPane& checkpoints() { return *m_checkpoints; }
    void setEvents(std::vector<EventRecord> events);
    void setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations);
    void showCheckpoints();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void choose(int segment);

    EventModel* m_model = nullptr;
    SegmentedButtons* m_choice = nullptr;
    QListView* m_list = nullptr;
    QLabel* m_order = nullptr;
    PageStack* m_stack = nullptr;
    CheckpointPane* m_checkpoints = nullptr;
};

} // namespace assay
