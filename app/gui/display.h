#pragma once

#include <QApplication>

#include <memory>

namespace assay {

/// Makes the application. Where no window can be opened (no display, or one that does not answer), it says so
/// in one sentence and ends the process with the exit code of `unsupported`, where Qt would abort. Asked for
/// help, the version or a picture, it needs no display.
std::unique_ptr<QApplication> openApplication(int& argc, char** argv);

} // namespace assay
