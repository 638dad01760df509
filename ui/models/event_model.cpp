#include "ui/models/event_model.h"

#include "ui/number_text.h"

#include <QDateTime>

namespace assay {

EventModel::EventModel(QObject* parent)
    : QAbstractListModel(parent)
{}

void EventModel::setEvents(std::vector<EventRecord> events)
{
    const bool same = !events.empty() && !m_events.empty() && events.size() == m_events.size() &&
                      events.front().id == m_events.front().id && events.back().id == m_events.back().id;
    if (same)
        return;
    beginResetModel();
    m_events = std::move(events);
    m_warnings = 0;
    for (const auto& event : m_events)
        m_warnings += event.level != EventLevel::Info;
    select();
    endResetModel();
}

void EventModel::setWarningsOnly(bool warningsOnly)
{
    beginResetModel();
    m_warningsOnly = warningsOnly;
    select();
    endResetModel();
}

void EventModel::select()
{
    m_shown.clear();
    for (std::size_t i = 0; i < m_events.size(); ++i)
        if (!m_warningsOnly || m_events[i].level != EventLevel::Info)
            m_shown.push_back(i);
}

int EventModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant EventModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const EventRecord& event = m_events[m_shown[static_cast<std::size_t>(index.row())]];
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(event.at);
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(event.text);
    case Qt::ToolTipRole:
        return QStringLiteral("%1\n%2").arg(QLocale().toString(at, QLocale::ShortFormat),
                                            QString::fromStdString(event.text));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, step %2: %3")
            .arg(at.toString(QStringLiteral("HH:mm:ss")), countText(event.step),
                 QString::fromStdString(event.text));
    case TimeRole:
        return at.toString(QStringLiteral("HH:mm:ss"));
    case StepRole:
        return QStringLiteral("step %1").arg(countText(event.step));
    case KindRole:
        return QString::fromStdString(event.kind);
    case LevelRole:
        return static_cast<int>(event.level);
    default:
        return {};
    }
}

Icon eventIcon(const QString& kind, EventLevel level)
{
    if (level == EventLevel::Error)
        return Icon::Error;
    if (kind == QLatin1String("checkpoint"))
        return Icon::Save;
    if (kind == QLatin1String("evaluation"))
        return Icon::Evaluate;
    if (level == EventLevel::Warning)
        return Icon::Warning;
    if (kind == QLatin1String("verdict"))
        return Icon::Slider;
    if (kind == QLatin1String("probe"))
        return Icon::Processor;
    if (kind == QLatin1String("paused"))
        return Icon::Pause;
    if (kind == QLatin1String("started") || kind == QLatin1String("resumed"))
        return Icon::Play;
    if (kind == QLatin1String("stopped"))
        return Icon::Stop;
    if (kind == QLatin1String("finished"))
        return Icon::Check;
    return Icon::Info;
}

} // namespace assay
