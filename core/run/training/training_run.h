#pragma once

#include "core/run/build_model.h"
#include "core/run/evaluation.h"
#include "core/run/training/checkpoint_keeper.h"
#include "core/run/training/run_log.h"
#include "core/train/batch_plan.h"
#include "core/train/checkpoint.h"
#include "core/train/prefetch.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

namespace assay {

/// Everything a run computes with, ready to start or to go on.
struct RunParts
{
    ExperimentConfig config;
    ComputeChoice compute;
    TokenizerPtr tokenizer;
    PreparedData data;
    std::unique_ptr<RewardModel> model;
    std::unique_ptr<Objective> objective;
    Ledger ledger;
    std::string weightsHash;
    std::optional<StepTag> tag;        ///< that the experiment wants as a token
    std::filesystem::path checkpoints; ///< folder of this run's checkpoints
    std::filesystem::path artefacts;   ///< the store's artefact folder, which contains it
};

/// The loop: steps, evaluations, checkpoints, controls. One object per attempt.
class TrainingRun
{
public:
    TrainingRun(RunParts parts, RunLog& log, std::stop_token stop);

    std::int64_t plannedSteps() const { return m_plannedSteps; }
    /// Restores moments and position from the checkpoint that the model was built from; `listed` are all that
    /// the run has. Errors: BadModel.
    Status restore(const VerifiedCheckpoint& checkpoint, std::vector<CheckpointRecord> listed);
    /// How many steps the verdict looks back.
    static constexpr std::int64_t kRecentSteps = 50;
    /// What earlier attempts have evaluated and lost, so that verdicts go on instead of starting anew.
    void continueAfter(std::span<const EvaluationRecord> evaluations, std::span<const StepRecord> steps);
    /// Runs to the end, to a stop, or to an error. Short jobs run at micro-batch boundaries.
    Result<RunOutcome> run(const std::function<void()>& shortJobs);

private:
    struct StepBatches
    {
        std::vector<MicroBatch> batches;
    };
    enum class Next { Go, Stop };

    Result<TrainStep> oneStep(StepBatches& batches, double waitSeconds);
    /// Errors: Cancelled (stopped meanwhile; nothing is kept of it), Numeric.
    Status evaluate();
    void noteGivenUp(double share);
    /// Tells the keeper; an evaluation that ends training early is judged as the last one.
    Status noteEvaluation(EvaluationRecord& record, const ScoredSide& scored);
    Status save(bool final);
    /// Reads control rows and runs short jobs; waits while paused. At every micro-batch boundary, of
    /// evaluations too.
    Next controls();
    void take(Control control);
    double activeSeconds() const { return m_clock.seconds() - m_pausedSeconds; }
    void report(Progress::Phase phase, double share, const std::string& text = {});
    void noteNonFinite(const TrainStep& step, const StepBatches& batches);
    bool needsEvaluation() const;
    /// One of the evaluations that early stopping counts.
    bool isRegular(std::int64_t step) const;
    bool savesNow() const;
    bool isComplete() const { return m_step >= m_plannedSteps || m_stopReason.has_value(); }
    /// The last step has been evaluated, too: only then a run is finished.
    bool isFinished() const { return m_stopReason || (isComplete() && m_evaluatedAt == m_step); }
    Result<RunOutcome> end();
    Status checkSaved(const std::filesystem::path& folder);
    StepBatches collateStep(std::int64_t step) const;

    RunParts m_parts;
    RunLog& m_log;
    std::stop_token m_stop;
    std::unique_ptr<Communicator> m_communicator;
    std::unique_ptr<AdamW> m_optimiser;
    std::unique_ptr<Trainer> m_trainer;
    BatchPlan m_plan;
    std::int64_t m_plannedSteps = 0;
    EvaluationSettings m_evaluation;
    std::function<void()> m_shortJobs;

    std::int64_t m_step = 0; ///< optimiser steps done
    std::int64_t m_evaluatedAt = -1, m_savedAt = -1;
    bool m_evaluateNow = false, m_stopAsked = false, m_evaluating = false, m_paused = false;
    bool m_savedFinal = false; ///< what was saved last is marked as the final checkpoint
    CheckpointKeeper m_keeper;
    std::optional<std::string> m_stopReason; ///< why training ends before the last step
    VerdictContext m_context;
    Verdict m_verdict;
    std::optional<EvaluationRecord> m_lastEvaluation;
    int m_nonFiniteInARow = 0;
    Stopwatch m_clock;
    double m_pausedSeconds = 0.0;
    double m_stepSeconds = 0.0; ///< moving mean, for the ETA
    double m_tokensPerSecond = 0.0;
};

} // namespace assay
