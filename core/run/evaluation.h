#pragma once

#include "core/config/experiment.h"
#include "core/config/task.h"
#include "core/diagnostics/verdict.h"
#include "core/model/reward_model.h"
#include "core/objective/objective.h"
#include "core/run/compute.h"
#include "core/run/prepared_data.h"
#include "core/run/session.h"
#include "core/train/trainer.h"

#include <functional>
#include <optional>
#include <string>

namespace assay {

/// How rows of an experiment are collated on the chosen device.
CollateOptions collateOptions(const ExperimentConfig& config, const ComputeChoice& compute,
                              const Backbone& backbone);

/// What an evaluation needs besides the model.
struct EvaluationSettings
{
    CollateOptions collate;
    ForwardOptions forward;
    std::int64_t batchTokens = 16384; ///< rows are scored in batches of about this many tokens, longest first
    Task task = Task::Steps;
    double wrongWeight = 1.0, centring = 0.0; ///< of the objective, for what a constant reaches and intervals
    double threshold = 0.5;                   ///< of step probabilities; of pairs 0.5, equal rewards
    std::int64_t bootstrapSamples = 200;
    std::uint64_t seed = 0;
};

/// The settings of an experiment's evaluations.
EvaluationSettings evaluationSettings(const ExperimentConfig& config, const ComputeChoice& compute,
                                      const Backbone& backbone);

/// Scores of the kept rows of a side, as plain values in file order, and the mean loss per supervised score
/// or pair.
struct ScoredSide
{
    EvaluatedSet set;
    double loss = 0.0;
    std::optional<double> trivialLoss; ///< of pairs: what equal rewards reach
    std::vector<double> margins;       ///< of pairs: of every row of the set; empty = none has one
    std::int64_t readOuts = 0;         ///< supervised scores, or pairs
};

/// How far an evaluation is, in rows.
struct EvaluationProgress
{
    std::int64_t rowsDone = 0, rows = 0;
    double share() const
    {
        return rows > 0 ? static_cast<double>(rowsDone) / static_cast<double>(rows) : 1.0;
    }
    /// "Evaluating 120 of 400 solutions"
    std::string text(Task task) const;
};

/// `goOn` is asked before the first batch and at every batch boundary: the place for progress, controls and
/// short jobs; false gives the evaluation up. Errors: Cancelled, Numeric (a score is not finite: names the
/// row).
Result<ScoredSide> scoreSide(const RewardModel& model, const Objective& objective, const PreparedSide& side,
                             const EvaluationSettings& settings,
                             const std::function<bool(const EvaluationProgress&)>& goOn);

/// Where training stands, for the verdict.
struct VerdictContext
{
    std::int64_t evaluationsDone = 0;
    double trainedShare = 0.0;
    bool finished = false;
    struct Step
    {
        double loss = 0.0;
        bool skipped = false; ///< a value was not finite
    };
    std::vector<Step> recentSteps;
    std::vector<double> evaluationLoss;
};

/// Metrics, baselines, curves and verdict of a scored side.
EvaluationRecord judge(const ScoredSide& scored, const PreparedData& data, const EvaluationSettings& settings,
                       const VerdictContext& context, Verdict& verdict);

/// Rows of the store.
std::vector<StoredPrediction> storedPredictions(const EvaluatedSet& set);

} // namespace assay
