#pragma once

#include "core/base/result.h"

#include <QSize>
#include <QString>

namespace assay {

class MainWindow;

/// Opens a page with a run, or the Model page with a model (`run` empty: what it shows by itself), waits
/// until it has its data, and saves its picture. Errors: Usage for an unknown page, Io when the file cannot
/// be written, Internal when the page never gets ready.
Status saveScreenshot(MainWindow& window, const QString& page, const QString& run, QSize size,
                      const QString& file);

} // namespace assay
