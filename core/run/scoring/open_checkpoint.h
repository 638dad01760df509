#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/eval/reward_scale.h"
#include "core/model/reward_model.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/compute.h"
#include "core/run/scoring/batch_scorer.h"
#include "core/text/layout.h"

#include <memory>

namespace assay {

/// A checkpoint's model with what its scores need.
struct OpenedCheckpoint
{
    ExperimentConfig config; ///< of its run, built from its folder
    ComputeChoice compute;
    TokenizerPtr tokenizer; ///< may be absent
    LayoutPtr layout;
    std::unique_ptr<RewardModel> model;
    RewardScale scale; ///< of `export.json`
};

/// A type that is not among the settings is the one the run recorded. What `export.json` says about head and
/// separators must hold. Errors: NotFound, BadModel (a trained tensor is missing, ...), Usage.
Result<OpenedCheckpoint> openCheckpoint(const ChosenCheckpoint& chosen, const ScorerSettings& settings);

} // namespace assay
