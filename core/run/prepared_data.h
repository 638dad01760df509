#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/diagnostics/baselines.h"
#include "core/diagnostics/label_checks.h"
#include "core/run/prepared_side.h"
#include "core/store/run_store.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Everything that comes before the model: rows, split, layout, label checks.
struct PreparedData
{
    PreparedSide train, evaluation;
    LayoutPtr layout;
    std::string splitHash;
    LabelChecks checks;
    /// The null ladder, fitted on the training side and evaluated on the other.
    BaselineEvaluation baselines;
    std::vector<std::string> trainIds, evaluationIds;
};

/// Content ids of the two sides of a split.
using SplitIds = std::pair<std::vector<std::string>, std::vector<std::string>>;

using PrepareProgress = std::function<void(const std::string& text, double share)>;

/// Opens, splits, lays out (on all cores) and checks. `splitIds`: of the run whose split is taken; where
/// `data.evaluation` names a file, only the training side is taken from them.
/// Errors: NotFound, BadData naming the row, Usage, Cancelled.
Result<PreparedData> prepareData(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                                 const ModelLimits& limits, const std::optional<SplitIds>& splitIds,
                                 const PrepareProgress& progress, const std::stop_token& stop);

/// The rows of `data.evaluation` alone, for a training side that is gone: `train.dataset` stays empty, and so
/// does what is fitted on training rows or compared with them. Errors: as prepareData.
Result<PreparedData> prepareEvaluation(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                                       const ModelLimits& limits, const PrepareProgress& progress,
                                       const std::stop_token& stop);

/// Whether data files that a run recorded are still there; empty names are passed over. Errors: NotFound.
Status checkRecordedData(std::initializer_list<std::string_view> paths);

/// The kept rows of a side as the store keeps them.
std::vector<StoredExample> storedExamples(const PreparedSide& side);
/// An example as the store keeps it: its text, or the ids of a tokenised row.
StoredExample storedExample(const Example& example);

} // namespace assay
