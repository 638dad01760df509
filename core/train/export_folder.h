#pragma once

#include "core/model/saved_form.h"
#include "core/train/checkpoint.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace assay {

/// A model that is handed on to others, and what else goes into its folder.
struct ExportContent
{
    const RewardModel* model = nullptr;
    const Tokenizer* tokenizer = nullptr;
    std::optional<LayoutOptions> layout;      ///< none: the model came without one
    std::optional<TrainingPosition> position; ///< with it the folder is a checkpoint too
    SavedForm form;
    std::uint64_t shardBytes = 0; ///< largest weight file; 0 = one file
    std::string recordJson;       ///< `export.json`
    /// Looks at the written folder before it gets its name; an error throws it away.
    std::function<Status(const std::filesystem::path& written)> check;
};

/// `target` must not exist, or be an empty folder; it appears complete and checked, or not at all. Errors:
/// Io (disk full: nothing is left behind), and those of the check.
Result<SavedCheckpoint> saveExport(const std::filesystem::path& target, const ExportContent& content);

} // namespace assay
