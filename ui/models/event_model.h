#pragma once

#include "core/store/records.h"
#include "ui/icons.h"

#include <QAbstractListModel>

#include <vector>

namespace assay {

/// The log of a run, newest first, all of it or only warnings and errors.
class EventModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        TimeRole = Qt::UserRole, ///< "14:41:07"
        StepRole,                ///< "step 2,400"
        KindRole,                ///< stable id of the kind
        LevelRole                ///< int of EventLevel
    };

    explicit EventModel(QObject* parent = nullptr);
    /// Newest first.
    void setEvents(std::vector<EventRecord> events);
    void setWarningsOnly(bool warningsOnly);
    int warnings() const { return m_warnings; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void select();

    std::vector<EventRecord> m_events;
    std::vector<std::size_t> m_shown;
    bool m_warningsOnly = false;
    int m_warnings = 0;
};

/// Icon of an event by its kind and level.
Icon eventIcon(const QString& kind, EventLevel level);

} // namespace assay
