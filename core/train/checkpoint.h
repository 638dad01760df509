#pragma once

#include "core/base/result.h"
#include "core/text/layout.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay {

class AdamW;
class RewardModel;

/// What early stopping and "best" have seen of an evaluation.
struct WatchedEvaluation
{
    std::int64_t step = 0;
    std::optional<double> stop; ///< by schedule.stop_metric; none = not one of the regular evaluations
    std::optional<double> best; ///< by checkpoint.best_metric; none = undefined there
    bool regular = true;        ///< by evaluation.every_steps, not asked for by hand
};

/// All of them; kept in the checkpoint, so that a resume decides the same whatever else has been evaluated
/// meanwhile.
struct WatchedEvaluations
{
    std::string stopMetric, stopTitle, bestMetric; ///< `auto` resolved; empty = nothing evaluated yet
    std::vector<WatchedEvaluation> all;
};

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
    WatchedEvaluations watched;
    std::optional<std::int64_t> newToken; ///< that the run added to the vocabulary
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

/// A folder that was compared with its manifest, so that nobody reads every byte of it again to be sure.
struct VerifiedCheckpoint
{
    std::filesystem::path folder;
    std::string weightsHash; ///< SHA-256 of model.safetensors
};

/// Size and SHA-256 of every file against the manifest. Errors: BadModel naming the damaged file.
Result<VerifiedCheckpoint> verifyCheckpoint(const std::filesystem::path& folder);

/// Puts the weights, the optimiser's state, or both back in place; null leaves that part alone.
Result<TrainingPosition> loadCheckpoint(const VerifiedCheckpoint& checkpoint, RewardModel* model,
                                        AdamW* optimiser);
Result<TrainingPosition> readTrainingPosition(const std::filesystem::path& folder);

/// A name that is not taken: a step that is saved again (its first folder was damaged) must not touch a
/// folder that is still listed.
std::filesystem::path freeCheckpointFolder(const std::filesystem::path& parent, std::int64_t step);

/// Takes the folder out of sight in one rename, then deletes it; what a kill leaves is swept later.
void removeCheckpointFiles(const std::filesystem::path& folder);

/// Removes what interrupted saves and deletions have left in the folder that holds the checkpoints: temporary
/// ones, and those that are not in `listed`, the names of the folders that have a row in the store.
void sweepCheckpoints(const std::filesystem::path& parent, const std::set<std::string>& listed);

} // namespace assay
