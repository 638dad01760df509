#pragma once

#include "core/base/folder_lock.h"
#include "core/config/experiment.h"
#include "core/store/run_store.h"
#include "core/train/checkpoint.h"

#include <optional>
#include <string>

namespace assay {

/// A verified checkpoint; while its lock is held, no run's policy deletes the files.
struct ChosenCheckpoint
{
    CheckpointRecord record; ///< of a folder that is in no store: step and path only
    VerifiedCheckpoint files;
    TrainingPosition position;
    std::optional<FolderLock> lock; ///< let go once everything has been read
};

/// The checkpoint of a step (none = the newest). Errors: NotFound, BadModel (damaged).
Result<ChosenCheckpoint> chooseCheckpoint(const RunReader& reader, const RunId& run,
                                          std::optional<std::int64_t> step);
/// A folder by its path, whether or not a store lists it. Errors: NotFound, BadModel (damaged).
Result<ChosenCheckpoint> chooseCheckpoint(const std::filesystem::path& folder);
/// A checkpoint that cannot be used, and why.
struct DamagedCheckpoint
{
    CheckpointRecord record;
    Error error;
};
/// The newest checkpoint that passes its manifest, and the newer ones that were passed over.
struct NewestComplete
{
    std::optional<ChosenCheckpoint> checkpoint;
    std::vector<DamagedCheckpoint> damaged;
};
NewestComplete newestComplete(const RunReader& reader, std::vector<CheckpointRecord> checkpoints);

/// `config` with the checkpoint's folder as its model folder: what the model is built from.
ExperimentConfig buildingFrom(ExperimentConfig config, const ChosenCheckpoint& checkpoint);

/// What `backbone.checkpoint` names: a run, `run:step`, or a folder. Errors: NotFound, BadModel, Usage.
Result<ChosenCheckpoint> namedCheckpoint(const StorePlace& place, const std::string& text);

/// Where an experiment's model comes from, before anything is read of it.
struct ModelOrigin
{
    ExperimentConfig recorded; ///< a name like `last` is replaced by run id and step
    ExperimentConfig building; ///< source `checkpoint` is replaced by the folder it stands for
    std::optional<ChosenCheckpoint> checkpoint; ///< only of source `checkpoint`
};
/// Errors: as namedCheckpoint.
Result<ModelOrigin> modelOrigin(const StorePlace& place, const ExperimentConfig& config);

/// "the checkpoint of step 40 of run 0123456789ab"
std::string describe(const ChosenCheckpoint& checkpoint);
/// The experiment that the checkpoint's run was; the defaults where it cannot be read.
ExperimentConfig recordedConfig(const ChosenCheckpoint& checkpoint);

} // namespace assay
