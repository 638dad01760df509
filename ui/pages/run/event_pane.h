#pragma once

#include "ui/models/event_model.h"

#include <QWidget>

class QLabel;
class QListView;

namespace assay {

class SegmentedButtons;

/// The event log of a run, newest first, with all events or warnings only.
class EventPane : public QWidget
{
    Q_OBJECT
public:
    explicit EventPane(QWidget* parent = nullptr);
    EventModel& model() { return *m_model; }
    void setEvents(std::vector<EventRecord> events);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    EventModel* m_model = nullptr;
    SegmentedButtons* m_choice = nullptr;
    QListView* m_list = nullptr;
};

} // namespace assay
