#pragma once

#include "core/eval/reward_scale.h"
#include "core/model/reward_model.h"
#include "core/run/checkpoint_choice.h"
#include "core/text/layout.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace assay {

/// A model that is about to leave, in float32 on the CPU.
struct ExportSource
{
    std::unique_ptr<RewardModel> model;
    bool perToken = true;                     ///< the head reads single tokens, not whole answers
    TokenizerPtr tokenizer;                   ///< may be absent
    LayoutPtr layout;                         ///< of a checkpoint
    std::optional<TrainingPosition> position; ///< of a checkpoint, without what only its machine knows
    RewardScale scale;                        ///< as it came
    std::string description;                  ///< "the checkpoint of step 40 of run 0123456789ab"
    std::filesystem::path folder;
    std::optional<FolderLock> lock;
};

/// A run, run:step, the folder of a checkpoint, or a model folder with a head. Errors: NotFound, BadModel,
/// Usage.
Result<ExportSource> openExportSource(const StorePlace& place, const std::string& text,
                                      std::optional<std::int64_t> step);

/// What was exported opens as what it was: a checkpoint with a position, else a model folder.
Result<ExportSource> reopenExport(const std::filesystem::path& folder, bool checkpoint);

} // namespace assay
