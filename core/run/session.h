#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/diagnostics/verdict.h"
#include "core/eval/evaluated_set.h"
#include "core/eval/report.h"
#include "core/run/exports/export_model.h"
#include "core/run/probes/model_report.h"
#include "core/run/probes/model_trial.h"
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
    std::string reason; ///< why it finished before the last planned step; empty = it did not
    Verdict verdict;
    std::optional<EvaluationRecord> lastEvaluation;
};

/// What is known before a run starts: label checks, census, truncation losses, sizes.
struct Preflight
{
    Report report; ///< findings: Red ones block the start unless run.override_reason is set
    std::int64_t trainExamples = 0, evaluationExamples = 0;
    std::int64_t trainRows = 0; ///< rows of the training side, those that are left out included
    std::int64_t trainTokens = 0;
    std::int64_t plannedSteps = 0;
    std::int64_t weightBytes = 0; ///< of the backbone, by its files or sizes; 0 = not known
    bool blocked() const { return report.firstRed() != nullptr; }
};

/// What one optimiser step on the longest micro-batch took, measured on the device of the run, and what
/// follows from it for the whole run. Bytes and seconds.
struct StepProbe
{
    std::string device, dtype;
    std::int64_t parameters = 0, trainedParameters = 0;
    std::int64_t worstExamples = 0, worstTokens = 0; ///< the longest micro-batch that can come
    std::int64_t weightBytes = 0, gradientBytes = 0, optimiserBytes = 0;
    std::int64_t activationBytes = 0; ///< what the step holds besides: activations and work space
    std::int64_t peakBytes = 0;       ///< of the step, or of the longest evaluation batch
    std::int64_t availableBytes = 0, totalBytes = 0; ///< of the device before the probe; 0 = not known
    std::int64_t largestExamples = 0; ///< per micro-batch, as far as the memory goes; 0 = not known
    std::int64_t timedSteps = 0;      ///< of the run's own plan
    double stepSeconds = 0.0;         ///< of an average step of the run
    double evaluationSeconds = 0.0;   ///< of one whole evaluation
    std::int64_t plannedSteps = 0, plannedEvaluations = 0;
    double totalSeconds = 0.0; ///< planned steps and evaluations; checkpoints are not in it
    std::string method;        ///< how all this was estimated, in sentences

    bool fits() const { return availableBytes == 0 || peakBytes <= availableBytes; }
};

/// Step probabilities, or rewards of whole answers, of texts that are not in any file (what-if, try-it).
class Scorer
{
public:
    virtual ~Scorer() = default;
    struct StepScore
    {
        double score = 0.0;
        double probability = 0.0;
    };
    /// One value per step; of a model of pairs one per answer, each on its own: `score` is the reward, and
    /// only differences of rewards mean something. What begins as the previous text did is not computed
    /// again.
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
    /// Builds the model, takes one optimiser step on the longest micro-batch and a few of the run's own, and
    /// measures them; nothing is kept. Errors: as training; Cancelled, OutOfMemory.
    virtual Result<StepProbe> measure(const ExperimentConfig& config, std::stop_token stop) = 0;
    /// A row of the training side as tokens, what the layout cuts included; rows that are left out count.
    virtual Result<TokenView> tokenView(const ExperimentConfig& config, std::int64_t row) = 0;
    /// A stored example laid out as the run did.
    virtual Result<TokenView> tokenView(const RunId& run, const std::string& exampleId) = 0;
    virtual Result<std::unique_ptr<Scorer>> open(const RunId& run, std::int64_t checkpoint) = 0;
    /// Opens a model folder and says what it is and what the load did to every tensor; nothing is kept.
    /// Errors: NotFound, BadModel, Unsupported, OutOfMemory, Cancelled.
    virtual Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch& watch) = 0;
    /// A model folder, kept open to try texts on. Errors: NotFound, and where not even its tokenizer opens.
    virtual Result<std::shared_ptr<ModelTrial>> tryModel(const ModelRequest& request) = 0;
    /// What loading its model did to every tensor when the run began. Errors: NotFound, BadData.
    virtual Result<Ledger> ledger(const RunId& run) = 0;
    /// As `exportModel`.
    virtual Result<ExportReport> exportModel(const std::string& source, std::optional<std::int64_t> step,
                                             const std::string& target, const ExportOptions& options,
                                             const ExportWatch& watch) = 0;
};

} // namespace assay
