#pragma once

#include "core/run/checkpoint_choice.h"
#include "core/run/preflight/model_memory.h"
#include "core/run/training/training_run.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace assay {

/// What a run's parts are made from.
struct RunPlan
{
    ExperimentConfig config;                ///< what the run records
    ExperimentConfig building;              ///< names where the model comes from
    const ChosenCheckpoint* from = nullptr; ///< if that is a checkpoint
    std::optional<std::string> dtype;       ///< that an earlier attempt decided on
    ModelUse use = ModelUse::Training;      ///< what memory is counted for
};

/// Makes the rows once it is known what the model takes.
using RowPreparation =
    std::function<Result<PreparedData>(const TokenizerPtr&, const ModelLimits&, const PrepareProgress&)>;
/// Looks at the rows before any weight is read.
using RowGate = std::function<Status(const PreparedData&)>;

/// Chooses device and type, prepares the rows, lets `gate` look at them, then builds the model. Errors: as
/// planModel, chooseCompute, prepareData and buildModel; those of the gate.
Result<RunParts> prepareRun(const RunPlan& plan, const RowPreparation& rows, const RowGate& gate,
                            RunObserver& observer);

/// Errors: BadData when no evaluation row has a label left.
Status hasEvaluationRows(const ExperimentConfig& config, const PreparedData& data);

} // namespace assay
