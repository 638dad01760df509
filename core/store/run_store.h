#pragma once

#include "core/base/result.h"
#include "core/store/records.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// Where the store is: a folder with `assay.db` and `artefacts/`.
struct StorePlace
{
    std::filesystem::path folder;
    std::filesystem::path database() const { return folder / "assay.db"; }
    std::filesystem::path artefacts() const { return folder / "artefacts"; }
    /// ASSAY_STORE, else $XDG_DATA_HOME/assay, else ~/.local/share/assay.
    static StorePlace standard();
};

/// Everything needed to start a run's row.
struct NewRun
{
    std::string name;
    std::string task = "Steps";
    std::string backbone, data;
    std::string configJson;
    std::vector<std::string> tags;
    RunId parent;
    std::int64_t plannedSteps = 0;
    std::string device, deviceDescription, dtype;
    std::int64_t threads = 0;
    std::string buildId;
    std::string trainFingerprint, evaluationFingerprint, splitHash, tokenizerHash, weightsHash, headHash;
    std::vector<std::string> trainIds, evaluationIds; ///< content hashes of the split
    std::string preflightJson;
};

/// The only connection that writes a run's data; owned by the engine thread. Run rows, status and checkpoints
/// commit with synchronous=FULL; steps, events and series are group-committed every 250 ms or by flush().
class RunWriter
{
public:
    /// Opens or creates the store, migrating it (after a backup) if it is older. Errors: Store, Io.
    static Result<std::unique_ptr<RunWriter>> open(const StorePlace& place);
    virtual ~RunWriter() = default;

    virtual Result<RunId> beginRun(const NewRun& run) = 0;
    /// Continues an interrupted, stopped or failed run: a new attempt from `fromStep`; rows after it stay,
    /// marked by their attempt. Returns the attempt number. Errors: NotFound, Store (still running
    /// elsewhere).
    virtual Result<std::int64_t> beginAttempt(const RunId& run, std::int64_t fromStep) = 0;
    virtual Status setStatus(const RunId& run, RunStatus status, const std::string& errorText = {}) = 0;
    virtual Status appendStep(const RunId& run, const StepRecord& record) = 0;
    /// Stores metrics and verdict; returns the evaluation's id. On the run's own rows, and not of an older
    /// step than what is there, they become its headline.
    virtual Result<std::int64_t> appendEvaluation(const RunId& run, const EvaluationRecord& record) = 0;
    virtual Status appendPredictions(const RunId& run, std::int64_t evaluation,
                                     std::span<const StoredPrediction> rows) = 0;
    virtual Status addExamples(std::span<const StoredExample> examples) = 0;
    virtual Status appendEvent(const RunId& run, const EventRecord& event) = 0;
    virtual Result<std::int64_t> addCheckpoint(const RunId& run, const CheckpointRecord& checkpoint) = 0;
    /// Takes the row away, on disk before it returns: only then may the files go. No row is no error.
    virtual Status removeCheckpoint(const RunId& run, std::int64_t id) = 0;
    /// Pending control rows, oldest first, each once; waits for no commit: some may come a call later.
    virtual Result<std::vector<Control>> takeControls(const RunId& run) = 0;
    /// Says "still alive" (at most once a second reaches the disk). `seconds` is the time of this attempt so
    /// far.
    virtual Status heartbeat(const RunId& run, std::int64_t step, double seconds) = 0;
    /// Commits what is pending; after it returns, every row handed over so far survives kill -9. Errors: Io
    /// (disk full), Store; the rows stay in memory and are tried again, so that training can go on.
    virtual Status flush() = 0;
    virtual const StorePlace& place() const = 0;
};

/// What the Runs page asks for. `filter` is the language of its filter line.
struct RunQuery
{
    std::string filter;
    std::string sortColumn = "created"; ///< column id of the table
    bool descending = true;
    bool includeArchived = false;
    bool onlyDeleted = false;
    std::int64_t offset = 0;
    std::int64_t limit = 200;
};

struct RunPage
{
    std::vector<RunSummary> rows;
    std::int64_t matching = 0, total = 0;
};

/// What the Steps page asks for.
struct SolutionQuery
{
    std::int64_t evaluation = 0;
    double threshold = 0.5;
    /// `all`, `disagreements`, `false-positives` (wrong step predicted correct), `false-alarms`,
    /// `confident-errors`
    std::string subset = "all";
    std::string filter;                 ///< "label = 0 and p > 0.9 and step > 3"; empty = all
    std::string sort = "largest-error"; ///< or `file-order`, `first-error`
    /// Pairs instead of solutions. Subsets: `all`, `wrong-pairs`, `ties`, `confident-errors`,
    /// `chosen-longer`; orders: `lowest-margin`, `closest`, `highest-margin`, `longest-chosen`, `file-order`;
    /// the filter speaks of margin, chosen, rejected and the like. There is no threshold.
    bool pairs = false;
    std::int64_t offset = 0, limit = 200;
};

struct SolutionPage
{
    std::vector<SolutionSummary> rows;
    std::int64_t matching = 0;
    /// Number of solutions in each subset, in the order all, disagreements, false-positives, false-alarms,
    /// confident-errors (pairs: in the order of the query's comment).
    std::vector<std::int64_t> subsetCounts;
};

/// Read-only view with its own connection; every reader thread opens its own.
class RunReader
{
public:
    /// Errors: NotFound (no store there yet), Store (newer than this program, damaged).
    static Result<std::unique_ptr<RunReader>> open(const StorePlace& place);
    virtual ~RunReader() = default;

    /// Errors: Usage when the filter cannot be understood (where = the offending part).
    virtual Result<RunPage> runs(const RunQuery& query) const = 0;
    virtual Result<RunDetails> run(const RunId& id) const = 0;
    /// Accepts an id, a unique beginning of one, a name (newest wins), or `last`.
    virtual Result<RunId> findRun(const std::string& text) const = 0;
    /// `series`: loss, gradient_norm, learning_rate, tokens_per_second, data_wait, ... At most
    /// `maximumPoints` buckets over [fromStep, toStep] (0,0 = all); the extremes of every bucket are exact.
    /// `evaluation.auroc` and the like are the metrics of the evaluations. What a later attempt computed
    /// again is left out.
    virtual Result<std::vector<SeriesPoint>> series(const RunId& run, const std::string& series,
                                                    double fromStep, double toStep,
                                                    std::int64_t maximumPoints) const = 0;
    virtual Result<std::vector<std::string>> seriesNames(const RunId& run) const = 0;
    /// Steps after `afterStep` in order; what a later attempt computed again is left out.
    virtual Result<std::vector<StepRecord>> steps(const RunId& run, std::int64_t afterStep,
                                                  std::int64_t limit) const = 0;
    /// On the run's own held-out rows, one per step, ordered by step; what a later attempt or a later
    /// evaluation computed again is left out.
    virtual Result<std::vector<EvaluationRecord>> evaluations(const RunId& run) const = 0;
    /// On other data, in the order in which they were made.
    virtual Result<std::vector<EvaluationRecord>> evaluationsOnOtherData(const RunId& run) const = 0;
    /// The newest `limit`, newest first.
    virtual Result<std::vector<EventRecord>> events(const RunId& run, std::int64_t limit) const = 0;
    /// Oldest first.
    virtual Result<std::vector<CheckpointRecord>> checkpoints(const RunId& run) const = 0;
    virtual Result<SolutionPage> solutions(const SolutionQuery& query) const = 0;
    virtual Result<StoredExample> example(const std::string& id) const = 0;
    virtual Result<std::vector<StoredPrediction>> predictions(std::int64_t evaluation,
                                                              const std::string& exampleId) const = 0;
    /// Where a step of this probability stands among the evaluation's steps labelled wrong; ties share the
    /// better rank.
    virtual Result<WrongStepRank> rankAmongWrong(std::int64_t evaluation, double probability) const = 0;
    /// Content hashes of the split of a run: first train, then evaluation.
    virtual Result<std::pair<std::vector<std::string>, std::vector<std::string>>>
    splitIds(const RunId& run) const = 0;
    /// Controls that the run has not taken yet, oldest first.
    virtual Result<std::vector<PostedControl>> pendingControls(const RunId& run) const = 0;
    /// Every tag of runs that are not deleted, in order of the alphabet.
    virtual Result<std::vector<std::string>> tags() const = 0;
    /// Changes whenever any process commits; cheap (PRAGMA data_version), for polling.
    virtual Result<std::int64_t> version() const = 0;
    virtual Status integrityCheck() const = 0;
    virtual const StorePlace& place() const = 0;
};

/// A change to what people say about a run; fields that are not set stay as they are.
struct RunEdit
{
    RunId run;
    std::optional<std::string> name, note;
    std::optional<std::vector<std::string>> tags; ///< replaces them all
    std::vector<std::string> addTags, removeTags; ///< leaves the others as they are
    std::optional<bool> archived, deleted;        ///< deleting is soft: rows and artefacts stay
};

/// Small writes that come from a window or another process: controls, edits, drafts. Never on the GUI thread.
class RunEditor
{
public:
    static Result<std::unique_ptr<RunEditor>> open(const StorePlace& place);
    virtual ~RunEditor() = default;
    virtual Status postControl(const RunId& run, Control control) = 0;
    /// Marks runs whose process is gone (host, boot id, pid and start time compared) as interrupted; returns
    /// them.
    virtual Result<std::vector<RunId>> sweepInterrupted() = 0;
    /// Applies the edit and returns the one that takes it back. Errors: NotFound, Usage (empty name; deleting
    /// a run that is in progress), Store.
    virtual Result<RunEdit> apply(const RunEdit& edit) = 0;
    /// Applies all of them or, after an error, none. What comes back takes all of them back when applied in
    /// its order.
    virtual Result<std::vector<RunEdit>> applyAll(std::span<const RunEdit> edits) = 0;
    /// An experiment that is being written; empty text removes it.
    virtual Status saveDraft(const std::string& name, const std::string& configJson) = 0;
    /// Empty when there is none.
    virtual Result<std::string> draft(const std::string& name) = 0;
};

/// "SQLite 3.40.1", as it runs.
std::string storeEngineVersion();

/// Report <-> JSON as the store keeps it.
std::string reportToJson(const Report& report);
Result<Report> reportFromJson(const std::string& json);

} // namespace assay
