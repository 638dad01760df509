#include "ui/screenshot.h"

#include "ui/main_window.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QImageWriter>
#include <QPixmap>
#include <QThread>

namespace assay {

namespace {

constexpr int kTimeoutMilliseconds = 60000; ///< label checks of a large file on a busy machine
constexpr int kSettleMilliseconds = 400;    ///< queued replots and the status bar

void processEventsFor(int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(2);
    }
}

/// Why a picture cannot go to this place; known before the window is drawn.
Status checkPictureFile(const QString& file)
{
    const QFileInfo info(file);
    const auto where = file.toStdString();
    if (info.isDir())
        return Error{ErrorCode::Usage, "is a folder, and a picture is a file", where, "Name a .png file"};
    if (!info.absoluteDir().exists())
        return Error{ErrorCode::NotFound, "there is no folder for the picture",
                     info.absolutePath().toStdString(), "Make the folder first"};
    if (!QImageWriter::supportedImageFormats().contains(info.suffix().toLower().toLatin1()))
        return Error{ErrorCode::Usage, "the ending of the name is no format of pictures", where,
                     "End the name in .png"};
    return {};
}

} // namespace

Status saveScreenshot(MainWindow& window, const QString& page, const QString& run, QSize size,
                      const QString& file)
{
    TRY_STATUS(checkPictureFile(file));
    Page* target = window.page(page);
    if (!target)
        return Error{ErrorCode::Usage, "there is no page of this name", page.toStdString(),
                     "Use runs, experiment, run, steps or model."};
    window.resize(size);
    window.show();
    if (!run.isEmpty())
        page == QLatin1String("model") ? target->showModel(run) : target->showRun(run, 0);
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
                     "Check the permissions and the space of its folder"};
    return {};
}

} // namespace assay
