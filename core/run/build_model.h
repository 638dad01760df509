#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/model/ledger.h"
#include "core/model/reward_model.h"
#include "core/run/compute.h"
#include "core/run/preflight/model_memory.h"
#include "core/run/prepared_data.h"
#include "core/run/step_tag.h"
#include "core/text/tokenizer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace assay {

/// What an experiment's backbone group describes, before any weight is read: enough to choose device and
/// type.
struct ModelPlan
{
    ModelConfig config;
    TokenizerPtr tokenizer; ///< may be absent: pre-tokenised rows need none
    bool scratch = false;
    std::string knownWeightsHash;      ///< of a verified checkpoint; empty = to be computed
    std::string storedHeadKind;        ///< head of the checkpoint; empty = any head of the right size fits
    std::optional<StepTag> tag;        ///< that the experiment wants as a token
    ModelUse use = ModelUse::Training; ///< what memory is counted for; a frozen backbone needs less

    ModelLimits limits() const
    {
        auto limits = config.limits();
        if (tag)
            limits.vocabulary = std::max(limits.vocabulary, tag->id + 1);
        return limits;
    }
};

/// Reads config.json and tokenizer, or sizes a new decoder by the tokenizer. Errors: NotFound, BadModel,
/// Usage.
Result<ModelPlan> planModel(const ExperimentConfig& config);

struct BuiltModel
{
    std::unique_ptr<RewardModel> model;
    Ledger ledger;
    std::string weightsHash; ///< of the backbone's files, or of (seed, config) for a new one
};

/// Loads or draws the weights and puts the head on. Errors: NotFound, BadModel.
Result<BuiltModel> buildModel(const ExperimentConfig& config, ModelPlan plan, const ComputeChoice& compute);

} // namespace assay
