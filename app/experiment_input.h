#pragma once

#include "app/command.h"
#include "core/config/experiment.h"

#include <filesystem>

namespace assay {

/// The experiment of a command line: the file, if any, with the flags on top. Paths become absolute, so that
/// the run can be resumed from anywhere. Errors: NotFound, Usage.
Result<ExperimentConfig> experimentFrom(const std::filesystem::path& file, const Invocation& invocation);

/// Errors: Usage with every problem that can be seen without opening a file.
Status requireValid(const ExperimentConfig& config);

} // namespace assay
