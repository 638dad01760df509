#pragma once

#include "core/base/result.h"
#include "core/model/reward_model.h"
#include "core/text/layout.h"
#include "core/text/tokenizer.h"
#include "core/train/optimiser.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace assay {

/// Where training stands; with the experiment and the data it determines every later step (the batch plan is
/// a pure function of the step, and every random stream one of its seed and the step).
struct TrainingPosition
{
    std::int64_t step = 0;         ///< optimiser steps done
    std::int64_t plannedSteps = 0; ///< what the schedule was computed with
    std::string runId;
    std::string dtype; ///< decided compute type: a resume must not decide anew
    std::int64_t threads = 0;
    std::string device;
    std::string configJson;
};

/// What a saved checkpoint is made of. The folder is a Hugging Face model folder with a few files more.
struct CheckpointContent
{
    const RewardModel* model = nullptr;
    const AdamW* optimiser = nullptr;
    const Tokenizer* tokenizer = nullptr; ///< may be absent (pre-tokenised rows)
    LayoutOptions layout;
    TrainingPosition position;
};

struct SavedCheckpoint
{
    std::int64_t bytes = 0;
    std::string manifestHash; ///< SHA-256 of manifest.json, which holds the hash of every file
};

/// Writes everything under a temporary name, fsyncs, renames and fsyncs the parent: the folder `target` is
/// complete or absent. Errors: Io (disk full: nothing is left behind).
Result<SavedCheckpoint> saveCheckpoint(const std::filesystem::path& target, const CheckpointContent& content);

/// Size and SHA-256 of every file against the manifest. Errors: BadModel naming the damaged file.
Status verifyCheckpoint(const std::filesystem::path& folder);

/// Verified, and with its weights (and, if given, the optimiser's state) put back in place.
Result<TrainingPosition> loadCheckpoint(const std::filesystem::path& folder, RewardModel& model,
                                        AdamW* optimiser);
Result<TrainingPosition> readTrainingPosition(const std::filesystem::path& folder);

/// Removes what interrupted saves have left in the folder that holds the checkpoints.
void sweepTemporaryCheckpoints(const std::filesystem::path& parent);

} // namespace assay
