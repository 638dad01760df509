#pragma once

#include "core/store/run_store.h"

#include <QObject>
#include <QString>
#include <QTimer>

namespace assay {

class FileWork;
class StoreSource;

/// Goes on with a stopped run in a process of its own that outlives the window: `assay resume RUN`, in its
/// own session, with its output in `background.log` beside the run's checkpoints.
class BackgroundRun : public QObject
{
    Q_OBJECT
public:
    /// `program` is the command line's executable.
    BackgroundRun(StoreSource& source, QString program, QObject* parent = nullptr);

    /// Answers with takenOver or failed.
    void start(const RunId& run);

Q_SIGNALS:
    /// The new process has the run; this one may end.
    void takenOver();
    /// The run is as it was, stopped with a checkpoint. `reason`: what the process said last.
    void failed(const QString& reason);

private:
    void look();
    void launch();

    StoreSource& m_source;
    QString m_program, m_log;
    RunId m_run;
    qint64 m_process = 0;
    FileWork* m_files;
    QTimer m_timer;
    bool m_asked = false;
};

} // namespace assay
