#pragma once

#include "core/config/experiment.h"
#include "core/run/compute.h"
#include "core/run/prepared_data.h"
#include "core/train/batch_plan.h"
#include "core/train/collate.h"
#include "core/train/trainer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Which kept rows of the training side are computed when.
BatchPlan batchPlanOf(const ExperimentConfig& config, const PreparedSide& train);

/// Optimiser steps that the experiment asks for on these rows.
std::int64_t plannedStepsOf(const ExperimentConfig& config, const PreparedSide& train);

/// How the optimiser steps of an experiment are computed.
TrainerOptions trainerOptions(const ExperimentConfig& config, const ComputeChoice& compute);

/// One micro-batch of kept rows (positions in `side.kept`); its examples carry the row numbers of the file.
MicroBatch collateKept(const PreparedSide& side, std::span<const std::int64_t> kept,
                       const CollateOptions& options);

/// The micro-batches of one rank in one step.
std::vector<MicroBatch> collateStep(const BatchPlan::Step& step, std::size_t rank, const PreparedSide& side,
                                    const CollateOptions& options);

/// Positions in `side.kept` of the longest rows that one micro-batch can bring together: no batch of the plan
/// holds more tokens.
std::vector<std::int64_t> longestMicroBatch(const ExperimentConfig& config, const PreparedSide& side);

} // namespace assay
