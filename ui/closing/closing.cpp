#include "ui/closing/closing.h"

#include "ui/closing/background_run.h"
#include "ui/main_window.h"
#include "ui/number_text.h"
#include "ui/run_controller.h"

namespace assay {

Closing::Closing(MainWindow& window, RunController& controller, StoreSource& source, const QString& program)
    : QObject(&window)
    , m_window(window)
    , m_controller(controller)
    , m_background(new BackgroundRun(source, program, this))
{
    connect(m_background, &BackgroundRun::takenOver, this, &Closing::leave);
    connect(m_background, &BackgroundRun::failed, this, [this](const QString& reason) {
        stay(tr("The run could not go on in the background; it is stopped, with a checkpoint."), reason);
    });
}

bool Closing::mayClose()
{
    if (m_leaving || !m_controller.busy())
        return true;
    ask();
    return false;
}

void Closing::ask()
{
    QString evidence = tr("Stopping saves a checkpoint; the run can be resumed from there, bit for bit.");
    if (const auto waiting = m_controller.jobs() - 1; waiting > 0)
        evidence += QLatin1Char(' ') +
                    tr("%1 more that wait are dropped.").arg(countText(static_cast<qint64>(waiting)));
    std::function<void()> background;
    if (!m_controller.currentRun().empty()) {
        evidence +=
            QLatin1Char(' ') + tr("In the background it goes on under the same id, as a process without "
                                  "a window; any window can watch and stop it.");
        background = [this] { stop(true); };
    }
    m_window.askBeforeClosing(
        tr("A run is in progress in this window."), evidence, tr("Stop and close"), [this] { stop(false); },
        std::move(background));
}

void Closing::stop(bool goOn)
{
    if (!m_controller.busy()) { // it ended while the question stood there
        leave();
        return;
    }
    const RunId run = m_controller.currentRun();
    m_window.tellClosing(goOn ? tr("Handing the run over to the background: saving a checkpoint…")
                              : tr("Stopping the run: saving a checkpoint…"));
    m_failed =
        connect(&m_controller, &RunController::runFailed, this, [this](const RunId&, const Error& error) {
            stay(tr("The run failed while it was being stopped."), QString::fromStdString(error.text()));
        });
    if (goOn)
        m_finished =
            connect(&m_controller, &RunController::runFinished, this, [this, run](const RunOutcome& outcome) {
                disconnect(m_finished);
                disconnect(m_idle);
                disconnect(m_failed);
                // It may just have reached its end: then there is nothing to go on with.
                outcome.run == run&& outcome.status == RunStatus::Stopped ? m_background->start(run)
                                                                          : leave();
            });
    else
        m_idle = connect(&m_controller, &RunController::idle, this, &Closing::leave);
    m_controller.stopAll();
}

void Closing::stay(const QString& sentence, const QString& reason)
{
    disconnect(m_finished);
    disconnect(m_idle);
    disconnect(m_failed);
    m_window.tellClosing({});
    m_window.complain(sentence, reason);
}

void Closing::leave()
{
    m_leaving = true;
    m_window.close();
}

} // namespace assay
