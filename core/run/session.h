#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/diagnostics/verdict.h"
#include "core/eval/evaluated_set.h"
#include "core/eval/report.h"
#include "core/store/records.h"
#include "core/store/run_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace assay {

/// Where a run is, for progress with ETA.
struct Progress
{
    enum class Phase { Loading, Checking, Evaluating, Training, Saving, Paused, Done };
    Phase phase = Phase::Loading;
    std::int64_t step = 0, plannedSteps = 0;
    double share = 0.0; ///< of the phase, [0, 1]
    double elapsedSeconds = 0.0;
    std::optional<double> remainingSeconds;
    double tokensPerSecond = 0.0;
    std::string text; ///< "Evaluating 120 of 400 solutions"
};

/// Gets small const values on the engine thread; must not block.
class RunObserver
{
public:
    virtual ~RunObserver() = default;
    virtual void runStarted(const RunDetails&) {}
    virtual void preflightDone(const Report&) {}
    virtual void progress(const Progress&) {}
    virtual void stepDone(const StepRecord&) {}
    virtual void evaluationDone(const EvaluationRecord&) {}
    virtual void checkpointSaved(const CheckpointRecord&) {}
    virtual void event(const EventRecord&) {}
    /// Called at every micro-batch boundary on the engine thread: the place to run short jobs (token view,
    /// what-if) while training goes on. The session may be called from here.
    virtual void boundary() {}
};

struct RunOutcome
{
    RunId run;
    RunStatus status = RunStatus::Finished;
    std::int64_t step = 0;
    double seconds = 0.0;
    Verdict verdict;
    std::optional<EvaluationRecord> lastEvaluation;
};

/// What is known before a run starts: label checks, census, truncation losses, sizes.
struct Preflight
{
    Report report; ///< findings: Red ones block the start unless run.override_reason is set
    std::int64_t trainExamples = 0, evaluationExamples = 0;
    std::int64_t trainTokens = 0;
    std::int64_t plannedSteps = 0;
    bool blocked() const { return report.firstRed() != nullptr; }
};

/// A row as the token view shows it.
struct TokenView
{
    struct Token
    {
        std::int32_t id = 0;
        std::string text;
        std::string role; ///< bos, prompt, step, separator, eos, given
        std::int32_t step = -1;
        bool readOut = false, supervised = false;
        float label = 0.0F;
    };
    std::vector<Token> tokens;
    std::string cutText; ///< what the layout cut, empty = nothing
};

/// Step probabilities of texts that are not in any file (what-if, try-it).
class Scorer
{
public:
    virtual ~Scorer() = default;
    struct StepScore
    {
        double score = 0.0;
        double probability = 0.0;
    };
    /// One value per step. Steps that are the same as in the previous call are not computed again.
    virtual Result<std::vector<StepScore>> score(const std::string& prompt,
                                                 std::span<const std::string> steps) = 0;
    virtual Result<TokenView> tokens(const std::string& prompt, std::span<const std::string> steps) = 0;
};

/// The one door to everything that computes. Every call blocks its (engine) thread until it is done or
/// stopped.
class Session
{
public:
    static std::unique_ptr<Session> create(StorePlace place);
    virtual ~Session() = default;

    /// Trains and evaluates; all records are in the store before the observer hears of them.
    /// Errors are also stored with the run. Stopping writes a checkpoint and marks the run stopped.
    virtual Result<RunOutcome> train(const ExperimentConfig& config, RunObserver& observer,
                                     std::stop_token stop) = 0;
    /// Continues from the newest complete checkpoint (or from the start, if there is none) bit for bit.
    virtual Result<RunOutcome> resume(const RunId& run, RunObserver& observer, std::stop_token stop) = 0;
    /// Scores `dataPath` (empty: the run's own evaluation rows) with a checkpoint (0 = newest) and stores the
    /// evaluation with the run.
    virtual Result<EvaluationRecord> evaluate(const RunId& run, std::int64_t checkpoint,
                                              const std::string& dataPath, RunObserver& observer,
                                              std::stop_token stop) = 0;
    /// Label checks and sizes without training.
    virtual Result<Preflight> probe(const ExperimentConfig& config, std::stop_token stop) = 0;
    /// A row of the training data as tokens.
    virtual Result<TokenView> tokenView(const ExperimentConfig& config, std::int64_t row) = 0;
    /// A stored example laid out as the run did.
    virtual Result<TokenView> tokenView(const RunId& run, const std::string& exampleId) = 0;
    virtual Result<std::unique_ptr<Scorer>> open(const RunId& run, std::int64_t checkpoint) = 0;
};

} // namespace assay
