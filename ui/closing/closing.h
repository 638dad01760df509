#pragma once

#include "core/store/records.h"

#include <QMetaObject>
#include <QObject>
#include <QString>

namespace assay {

class BackgroundRun;
class MainWindow;
class RunController;
class StoreSource;

/// What happens when the window is closed while a run of this process is in progress: checkpoint and stop, go
/// on in the background, or stay. Whatever is chosen, and if the window is killed while it asks, the run
/// keeps its id and everything up to its newest checkpoint.
class Closing : public QObject
{
    Q_OBJECT
public:
    /// `program` is the command line's executable, for going on in the background.
    Closing(MainWindow& window, RunController& controller, StoreSource& source, const QString& program);

    /// Asks in place and returns false while something is in progress.
    bool mayClose();

private:
    void ask();
    void stop(bool goOn);
    void stay(const QString& sentence, const QString& reason);
    void leave();

    MainWindow& m_window;
    RunController& m_controller;
    BackgroundRun* m_background;
    QMetaObject::Connection m_finished, m_idle, m_failed;
    bool m_leaving = false;
};

} // namespace assay
