#pragma once

#include "core/model/reward_model.h"
#include "core/objective/objective.h"
#include "core/text/layout.h"
#include "core/train/segment_forest.h"

#include <memory>
#include <span>
#include <vector>

namespace assay {

enum class PaddingSide { Right, Left };

struct CollateOptions
{
    Execution execution = Execution::Merged;
    PaddingSide paddingSide = PaddingSide::Right;
    std::int32_t minimumShared = kMinimumSharedTokens; ///< merged only
    std::int64_t batchedPairs = kBatchedPartPairs;
    AttentionNeeds attention; ///< of the backbone that the rows are for
    at::Device device = at::kCPU;
    at::ScalarType scoreType = at::kFloat; ///< of attention scores and targets; float64 for float64 models
};

/// What one forward pass takes.
struct CollatedUnit
{
    BackboneInput input;
    ReadOutRows readOuts;
    TargetTensors targets;
};

/// Rows ready to be computed. Scores come in row order, whatever the execution.
struct MicroBatch
{
    std::vector<CollatedUnit> units;    ///< one; single execution has one per row
    std::vector<std::int64_t> examples; ///< row numbers, as given by the caller
    std::int64_t tokens = 0;            ///< of the sequences
    std::int64_t computedTokens = 0;    ///< after merging or padding
    std::int64_t scores = 0;
    std::int64_t supervised = 0; ///< scores that the loss sees
};

/// Packs laid-out rows into one micro-batch; rows must not be empty.
MicroBatch collate(std::span<const LaidOut* const> rows, const CollateOptions& options);

} // namespace assay
