#pragma once

#include "core/eval/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Plain values that cross the border of the store. Times are milliseconds since 1970 (UTC); durations come
// from the monotonic clock and are stored as seconds, so that a clock that jumps cannot make them negative.

using RunId = std::string; ///< 12 lower-case hex characters, random

/// `queued` is not produced yet; an interrupted run is one whose process is gone.
enum class RunStatus { Running, Paused, Finished, Stopped, Failed, Interrupted };
std::string_view runStatusId(RunStatus status);
std::optional<RunStatus> runStatusFromId(std::string_view id);

/// A metric as a run table shows it.
struct HeadlineMetric
{
    std::string id, title;
    double value = 0.0;
    std::optional<double> low, high;
    std::optional<double> baseline; ///< base rate or best null baseline
};

struct RunSummary
{
    RunId id;
    std::string name;
    RunStatus status = RunStatus::Running;
    std::string task = "Steps";
    std::string backbone; ///< short name
    std::string data;     ///< short name
    std::string device;
    std::optional<HeadlineMetric> headline;
    std::string verdictId;    ///< see diagnostics/verdict.h; empty = none
    std::string verdictBadge; ///< "always True: no signal"
    std::string verdictSentence, verdictEvidence, verdictRemedy;
    std::optional<double> suggestedThreshold;
    std::int64_t createdAt = 0, startedAt = 0, endedAt = 0; ///< ms; endedAt 0 = not ended
    double seconds = 0.0; ///< training and evaluation time over all attempts
    std::int64_t step = 0, plannedSteps = 0;
    std::vector<std::string> tags;
    std::string note;
    bool archived = false, deleted = false;
    RunId parent;          ///< cloned or resumed from; empty = none
    std::string errorText; ///< of a failed run: what, where, what to do
    std::string host;
    std::int64_t process = 0;
};

/// Everything needed to repeat the run.
struct RunDetails
{
    RunSummary summary;
    std::string configJson;
    std::string trainFingerprint, evaluationFingerprint;
    std::string splitHash;
    std::string tokenizerHash, weightsHash, headHash;
    std::string buildId, deviceDescription, dtype;
    std::int64_t threads = 0;
    std::int64_t trainExamples = 0, evaluationExamples = 0;
    std::string preflightJson; ///< Report of the label checks, as JSON
};

/// One optimiser step.
struct StepRecord
{
    std::int64_t step = 0; ///< 1 = first
    std::int64_t attempt = 1;
    double loss = 0.0;         ///< sum over read-outs / count; NaN and infinity are kept
    double gradientNorm = 0.0; ///< before clipping
    double learningRate = 0.0;
    std::int64_t tokens = 0;         ///< real tokens of the step
    std::int64_t computedTokens = 0; ///< after merging or padding
    std::int64_t examples = 0;
    std::int64_t readOuts = 0;
    double seconds = 0.0;
    double dataWaitSeconds = 0.0;
    bool clipped = false;
    bool skipped = false; ///< non-finite: the optimiser step was not taken
};

/// One evaluation: metrics, distributions, verdict.
struct EvaluationRecord
{
    std::int64_t id = 0; ///< row id in the store; 0 = not stored yet
    std::int64_t step = 0;
    std::int64_t attempt = 1; ///< 0 when it is stored: the run's newest
    std::int64_t at = 0;      ///< ms
    std::string data;         ///< file; empty = the run's own held-out rows
    std::string dataFingerprint;
    double seconds = 0.0;
    double loss = 0.0;
    std::int64_t examples = 0, readOuts = 0;
    double threshold = 0.5;
    Report report; ///< metrics incl. baselines; curves: histograms by label, probability by position
    std::string verdictId, verdictBadge, verdictSentence, verdictEvidence, verdictRemedy;
    std::optional<double> suggestedThreshold;
};

enum class EventLevel { Info, Warning, Error };

struct EventRecord
{
    std::int64_t id = 0;
    std::int64_t at = 0; ///< ms
    std::int64_t step = 0;
    EventLevel level = EventLevel::Info;
    std::string kind; ///< stable: started, evaluation, checkpoint, verdict, non-finite, paused, resumed,
                      ///< stopped, error, override, probe
    std::string text;
};

struct CheckpointRecord
{
    std::int64_t id = 0;
    std::int64_t step = 0;
    std::int64_t at = 0;
    std::int64_t bytes = 0;
    std::string path; ///< relative to the store's artefact folder
    std::string manifestHash;
    bool final = false;
};

/// An evaluated example with its text, stored once per store by content hash.
struct StoredExample
{
    std::string id;
    std::string prompt;
    std::vector<std::string> steps;
    std::string source;
    std::int64_t row = 0;
};

/// A prediction as the store keeps it.
struct StoredPrediction
{
    std::int64_t evaluation = 0;
    std::string exampleId;
    std::int32_t readOut = 0, step = 0, output = 0;
    double score = 0.0, probability = 0.0, label = 0.0;
    bool supervised = false;
};

/// A solution in the list of the Steps page.
struct SolutionSummary
{
    std::string exampleId;
    std::int64_t ordinal = 0; ///< 1-based position in the evaluation set
    std::string prompt;       ///< beginning
    std::vector<double> probabilities;
    std::vector<double> labels;
    std::vector<bool> supervised;
    int firstTrueError = -1, firstPredictedError = -1; ///< 0-based, -1 = none
    double largestError = 0.0;                         ///< largest |probability - label| of a supervised step
    std::optional<double>
        margin; ///< of a pair: reward of chosen less that of rejected; then nothing of the steps
};

/// Position of a step among all steps labelled wrong of its evaluation: 1 = the most probable, so the worst
/// one.
struct WrongStepRank
{
    std::int64_t rank = 0, of = 0;
};

enum class Control { Pause, Resume, Stop, EvaluateNow };
/// The word in the controls table: `pause`, `resume`, `stop`, `evaluate-now`.
std::string_view controlId(Control control);
std::optional<Control> controlFromId(std::string_view id);

/// A control that waits for its run to take it.
struct PostedControl
{
    Control control = Control::Pause;
    std::int64_t at = 0; ///< ms
};

/// A point of a series as it is drawn: a bucket of steps with its extremes, so that no spike is lost.
struct SeriesPoint
{
    double step = 0.0;
    double minimum = 0.0, maximum = 0.0, last = 0.0;
    std::int64_t attempt = 1;
    std::int64_t count = 1;
    /// Points that are NaN or infinite; the extremes are over the others. Where all are, they hold such a
    /// value.
    std::int64_t nonFinite = 0;
};

} // namespace assay
