#pragma once

#include "core/store/run_store.h"
#include "ui/widgets/status_strip.h"

namespace assay {

/// What the status bar needs from outside the GUI thread.
struct MachineState
{
    std::vector<RunSummary> running;
    std::int64_t runs = 0;
    std::int64_t storeBytes = 0;
    std::int64_t memoryBytes = 0, memoryUsedBytes = 0;
};

/// Reads the store's runs in progress and sizes, and the memory of the computer; on the store thread.
Result<MachineState> readMachine(const RunReader& store);
/// The pieces of the status bar.
std::vector<StatusItem> statusItems(const MachineState& state, const QString& storeFolder, bool narrow);

} // namespace assay
