#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"

#include <cstdint>
#include <filesystem>

namespace assay {

/// Unpacks the healthy demo into `folder`, its data made from `seed`, and reads its experiment with absolute
/// paths. What is there already and equal stays untouched. Errors: Io; Internal when this build carries no
/// demo.
Result<ExperimentConfig> unpackDemo(const std::filesystem::path& folder, std::uint64_t seed = 0);

} // namespace assay
