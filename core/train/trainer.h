#pragma once

#include "core/base/result.h"
#include "core/model/reward_model.h"
#include "core/objective/objective.h"
#include "core/train/collate.h"
#include "core/train/communicator.h"
#include "core/train/optimiser.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace assay {

struct TrainerOptions
{
    ForwardOptions forward;
    double maximumGradientNorm = 1.0; ///< 0 = off
    double headDropout = 0.0;
    std::uint64_t dropoutSeed = 0;
};

/// What one optimiser step did.
struct TrainStep
{
    double loss = 0.0;         ///< sum over the step / its count, in the objective's unit
    double gradientNorm = 0.0; ///< before clipping
    double count = 0.0;        ///< of the step, in the objective's unit: read-outs, pairs
    bool clipped = false;
    bool skipped = false;        ///< not finite: weights and moments are untouched
    std::string nonFiniteTensor; ///< first tensor with a gradient that is not finite, or "loss"
};

/// Takes optimiser steps. Knows no files, no store and no screen.
class Trainer
{
public:
    Trainer(RewardModel& model, const Objective& objective, AdamW& optimiser, Communicator& communicator,
            TrainerOptions options);

    /// One optimiser step over this rank's micro-batches; the loss is divided once, by the count
    /// (read-outs, pairs) of all of them on all ranks. `step` counts from 0 (it seeds dropout).
    /// `betweenBatches` runs at micro-batch boundaries and may return false to give the step up (nothing is
    /// changed then: Cancelled). Errors: BadData when nothing is supervised, naming the rows.
    Result<TrainStep> step(std::span<const MicroBatch> batches, std::int64_t step, double learningRate,
                           const std::function<bool()>& betweenBatches);

private:
    RewardModel& m_model;
    const Objective& m_objective;
    AdamW& m_optimiser;
    Communicator& m_communicator;
    TrainerOptions m_options;
};

/// Raw scores of a micro-batch without gradients, in row order: [scores, outputs] float64 on the CPU, and the
/// loss.
struct ScoredBatch
{
    at::Tensor scores;
    double lossSum = 0.0;
    double lossCount = 0.0;
};
ScoredBatch scoreBatch(const RewardModel& model, const Objective* objective, const MicroBatch& batch,
                       const ForwardOptions& options);

} // namespace assay
