#include "ui/closing/background_run.h"

#include "core/store/sqlite/process_identity.h"
#include "ui/store_source.h"
#include "ui/threads/file_work.h"

#include <QDir>
#include <QFile>
#include <QProcess>

#include <algorithm>
#include <utility>

namespace assay {

namespace {

constexpr int kLookMilliseconds = 200;
constexpr qint64 kLogTailBytes = 2000;

/// The last line that the process left in its log.
QString lastWords(const QString& log)
{
    const QString none = BackgroundRun::tr("The process ended without a word.");
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly))
        return none;
    file.seek(std::max<qint64>(0, file.size() - kLogTailBytes));
    const QString text = QString::fromUtf8(file.readAll()).trimmed();
    return text.isEmpty() ? none : text.section(QLatin1Char('\n'), -1);
}

} // namespace

BackgroundRun::BackgroundRun(StoreSource& source, QString program, QObject* parent)
    : QObject(parent)
    , m_source(source)
    , m_program(std::move(program))
    , m_files(new FileWork(this))
{
    m_timer.setInterval(kLookMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &BackgroundRun::look);
}

void BackgroundRun::start(const RunId& run)
{
    m_run = run;
    const QString folder = QString::fromStdString((m_source.place().artefacts() / "runs" / run).string());
    m_log = folder + QStringLiteral("/background.log");
    m_files->run([folder] { return QDir().mkpath(folder); }, [this](bool) { launch(); });
}

void BackgroundRun::launch()
{
    const QString store = QString::fromStdString(m_source.place().folder.string());
    QProcess process;
    process.setProgram(m_program);
    process.setArguments(
        {QStringLiteral("resume"), QString::fromStdString(m_run), QStringLiteral("--store"), store});
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(m_log, QIODevice::Append);
    process.setStandardErrorFile(m_log, QIODevice::Append);
    // A detached process has a session of its own: closing the terminal of the window does not end it.
    if (!process.startDetached(&m_process)) {
        Q_EMIT failed(tr("%1 could not be started: %2").arg(m_program, process.errorString()));
        return;
    }
    m_timer.start();
}

void BackgroundRun::look()
{
    if (m_asked)
        return;
    m_asked = true;
    // Asked for before the store is read: a process that ends right after it took the run is no failure.
    const bool alive = processRuns(m_process);
    m_source.query(
        this, [run = m_run](const RunReader& store) { return store.run(run); },
        [this, alive](const Result<RunDetails>& details) {
            m_asked = false;
            if (details.ok() && details->summary.process == m_process) {
                m_timer.stop();
                Q_EMIT takenOver();
            } else if (!alive) {
                m_timer.stop();
                m_files->run([log = m_log] { return lastWords(log); },
                             [this](const QString& words) { Q_EMIT failed(words); });
            }
        });
}

} // namespace assay
