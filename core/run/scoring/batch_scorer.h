#pragma once

#include "core/base/result.h"
#include "core/data/example.h"
#include "core/eval/reward_scale.h"
#include "core/store/run_store.h"
#include "core/text/layout.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// What a model says to one row.
struct RowScores
{
    struct Value
    {
        double score =
            0.0; ///< raw: logit of "correct" (two outputs: difference of the logits), or the reward
        double reward = 0.0; ///< step probability of a step; of a whole answer the score; both scaled
        std::optional<bool> correct = {}; ///< of a step, where the model came with a threshold
    };
    /// One for every step, or candidate, of the row; none where the layout cut it away.
    std::vector<std::optional<Value>> values;
    std::optional<double> reward; ///< of the answer, where the model came with an aggregation of its steps
    CutReport cut;
};

/// Scores many rows at once with one checkpoint, as its evaluations do: layout, type, device and execution
/// come from the checkpoint.
class BatchScorer
{
public:
    virtual ~BatchScorer() = default;
    /// Answers in the order of the rows. A row that cannot be scored has an error of its own and leaves the
    /// others alone: BadData (too long for the layout, breaks its rules), Numeric, OutOfMemory.
    virtual std::vector<Result<RowScores>> score(std::span<const Example> rows) = 0;
    /// What `export.json` does to the outputs of an exported model.
    virtual const RewardScale& scale() const = 0;
    /// How its rows become tokens.
    virtual const Layout& layout() const = 0;
};

/// Field ids and texts on top of the checkpoint's experiment, for instance compute.device.
using ScorerSettings = std::vector<std::pair<std::string, std::string>>;

/// Whether a model without a trained head may score with a random one.
enum class FreshHead { Refuse, Allow };

/// Opens a checkpoint folder, whose manifest must hold, or a model folder that was published elsewhere (see
/// `openPublishedModel`). Of a checkpoint, a type that is not among the settings is the one the run recorded,
/// and layout and head are its own. Errors: NotFound, BadModel, Usage, OutOfMemory.
Result<std::unique_ptr<BatchScorer>> openBatchScorer(const std::filesystem::path& folder,
                                                     const ScorerSettings& settings = {},
                                                     FreshHead freshHead = FreshHead::Refuse);
/// The same for a run's checkpoint of a step (none = the newest). Errors: also Store.
Result<std::unique_ptr<BatchScorer>> openBatchScorer(const StorePlace& place, const RunId& run,
                                                     std::optional<std::int64_t> step,
                                                     const ScorerSettings& settings = {});

} // namespace assay
