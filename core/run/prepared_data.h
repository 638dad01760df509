#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/diagnostics/baselines.h"
#include "core/diagnostics/label_checks.h"
#include "core/run/prepared_side.h"
#include "core/store/run_store.h"

#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
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

using PrepareProgress = std::function<void(const std::string& text, double share)>;

/// Opens, splits, lays out (on all cores) and checks. `vocabulary`: ids must be below it.
/// `splitIds`: content ids of another run's split, if the experiment imports one.
/// Errors: NotFound, BadData naming the row, Usage, Cancelled.
Result<PreparedData>
prepareData(const ExperimentConfig& config, const TokenizerPtr& tokenizer, std::int64_t vocabulary,
            const std::optional<std::pair<std::vector<std::string>, std::vector<std::string>>>& splitIds,
            const PrepareProgress& progress, const std::stop_token& stop);

/// Whether data files that a run recorded are still there; empty names are passed over. Errors: NotFound.
Status checkRecordedData(std::initializer_list<std::string_view> paths);

/// An example as the store keeps it: its text, or the ids of a tokenised row.
StoredExample storedExample(const Example& example);

} // namespace assay
