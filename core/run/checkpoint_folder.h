#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"

#include <filesystem>
#include <utility>

namespace assay {

/// A run's checkpoint of a step (0 = the newest) and its folder, whose manifest holds. Errors: NotFound,
/// BadModel.
Result<std::pair<CheckpointRecord, std::filesystem::path>>
checkpointFolder(const StorePlace& place, const RunReader& reader, const RunId& run, std::int64_t step);

} // namespace assay
