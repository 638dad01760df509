#pragma once

#include "core/run/session.h"

#include <filesystem>
#include <memory>

namespace assay {

/// A scorer over a checkpoint folder. Errors: NotFound, BadModel.
Result<std::unique_ptr<Scorer>> openScorer(const std::filesystem::path& checkpoint);

} // namespace assay
