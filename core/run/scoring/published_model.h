#pragma once

#include "core/run/compute.h"
#include "core/run/scoring/batch_scorer.h"

#include <filesystem>
#include <memory>

namespace assay {

class RewardModel;

/// A reward model of somebody else, ready to score.
struct PublishedModel
{
    PublishedModel();
    PublishedModel(PublishedModel&&) noexcept;
    PublishedModel& operator=(PublishedModel&&) noexcept;
    ~PublishedModel();

    std::unique_ptr<RewardModel> model;
    LayoutPtr layout;
    ComputeChoice compute;
    ExperimentConfig config; ///< the settings it was opened with
    RewardScale scale;       ///< of `export.json`, if it is an export
};

/// Opens a model folder that no run of ours wrote. Rows are laid out by settings of the group `layout`, else
/// by the declaration of the head, else by the folder's `layout.json`. Computes in float32 unless told.
/// Errors: NotFound, BadModel (no head, no layout), Usage, OutOfMemory.
Result<PublishedModel> openPublishedModel(const std::filesystem::path& folder, const ScorerSettings& settings,
                                          FreshHead freshHead);

} // namespace assay
