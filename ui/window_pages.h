#pragma once

#include "ui/main_window.h"

#include <memory>

namespace assay {

class RunController;
class StoreSource;
class UiSettings;

/// The main window with all its pages, in the order of the rail. The arguments outlive it. `program` is the
/// command line's executable; empty = the one beside this program.
std::unique_ptr<MainWindow> makeMainWindow(StoreSource& source, RunController& controller,
                                           UiSettings& settings, Theme& theme, const QString& program = {});

} // namespace assay
