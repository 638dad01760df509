#pragma once

#include "core/base/result.h"
#include "ui/experiment/draft.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

namespace assay {

class StoreSource;

/// Saves the experiment that is being written to the store, a second after it last changed, so that it
/// survives whatever ends the window. Never on the GUI thread.
class DraftKeeper : public QObject
{
    Q_OBJECT
public:
    /// `source` outlives the keeper.
    explicit DraftKeeper(StoreSource& source, QObject* parent = nullptr);

    using LoadThen = std::function<void(Result<std::optional<ExperimentDraft>>)>;
    /// The saved draft, if there is one; an absent store has none and is not created.
    void load(LoadThen then);
    void keep(const ExperimentDraft& draft);
    /// "saved 2 s ago", "not saved: ..."; empty before the first save.
    QString state() const;

Q_SIGNALS:
    void stateChanged();

private:
    void save();

    StoreSource& m_source;
    QTimer m_delay;
    QString m_text, m_error;
    QElapsedTimer m_saved;
};

} // namespace assay
