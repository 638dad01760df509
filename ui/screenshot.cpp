#include "ui/screenshot.h"

#include "ui/main_window.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>

namespace assay {

namespace {

constexpr int kTimeoutMilliseconds = 20000;
constexpr int kSettleMilliseconds = 400; ///< queued replots and the status bar

void processEventsFor(int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(2);
    }
}

} // namespace

Status saveScreenshot(MainWindow& window, const QString& page, const QString& run, QSize size,
                      const QString& file)
{
    Page* target = window.page(page);
    if (!target)
        return Error{ErrorCode::Usage, "there is no page of this name", page.toStdString(),
                     "Use runs, experiment, run or steps."};
    window.resize(size);
    window.show();
    if (!run.isEmpty())
        target->showRun(run, 0);
    window.openPage(page);
    QElapsedTimer timer;
    timer.start();
    while (!target->ready() && timer.elapsed() < kTimeoutMilliseconds)
        processEventsFor(20);
    if (!target->ready())
        return Error{ErrorCode::Internal, "the page did not get its data in time", page.toStdString(), {}};
    processEventsFor(kSettleMilliseconds);
    if (!window.grab().save(file))
        return Error{ErrorCode::Io, "the picture cannot be written", file.toStdString(),
                     "The name must end in .png and its folder must exist."};
    return {};
}

} // namespace assay
