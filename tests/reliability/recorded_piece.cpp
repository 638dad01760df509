#include "tests/reliability/recorded_piece.h"

#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "core/train/checkpoint.h"
#include "core/train/optimiser.h"
#include "tests/support/tiny_model.h"

#include <algorithm>
#include <set>

namespace assay::tests {

namespace fs = std::filesystem;

namespace {

using Note = std::function<void(const std::string&)>;

constexpr std::int64_t kFirstSave = 6, kStop = 9;

double lossOf(std::int64_t step)
{
    return 1.0 / static_cast<double>(step);
}

EvaluationRecord evaluationAt(std::int64_t step)
{
    EvaluationRecord record;
    record.step = step;
    record.loss = lossOf(step);
    record.report.metrics.push_back({"auroc", "AUROC", 0.75});
    return record;
}

/// Keeps the first error; what comes after it is tried all the same.
class FirstError
{
public:
    template <typename T>
    bool took(const Result<T>& result)
    {
        if (!result.ok() && m_status.ok())
            m_status = result.error();
        return result.ok();
    }
    const Status& status() const { return m_status; }

private:
    Status m_status;
};

/// One process's part of the run.
class Writing
{
public:
    Writing(std::unique_ptr<RunWriter> writer, const Note& note, FirstError& errors)
        : m_writer(std::move(writer))
        , m_note(note)
        , m_errors(errors)
    {}

    RunWriter& writer() { return *m_writer; }

    void steps(const RunId& run, std::int64_t attempt, std::int64_t from, std::int64_t to)
    {
        for (auto step = from; step <= to; ++step) {
            StepRecord record;
            record.step = step;
            record.attempt = attempt;
            record.loss = lossOf(step);
            m_errors.took(m_writer->appendStep(run, record));
        }
        if (m_errors.took(m_writer->flush()))
            m_note("step " + std::to_string(to));
    }

    void evaluation(const RunId& run, std::int64_t step)
    {
        const auto id = m_writer->appendEvaluation(run, evaluationAt(step));
        if (m_errors.took(id))
            m_note("evaluation " + std::to_string(*id));
    }

    /// As the trainer saves: files, then the row.
    std::optional<CheckpointRecord> save(const RunId& run, CheckpointContent content, std::int64_t step)
    {
        const auto& place = m_writer->place();
        const auto folder = freeCheckpointFolder(place.artefacts() / "runs" / run / "checkpoints", step);
        content.position.step = step;
        content.position.runId = run;
        const auto saved = saveCheckpoint(folder, content);
        if (!m_errors.took(saved))
            return std::nullopt;
        CheckpointRecord record;
        record.step = step;
        record.bytes = saved->bytes;
        record.manifestHash = saved->manifestHash;
        record.path = folder.lexically_relative(place.artefacts()).string();
        const auto id = m_writer->addCheckpoint(run, record);
        if (!m_errors.took(id))
            return std::nullopt;
        m_note("checkpoint " + record.path);
        record.id = *id;
        return record;
    }

    /// As the policy deletes: the row, then the files.
    void remove(const RunId& run, const CheckpointRecord& checkpoint)
    {
        m_note("removing " + checkpoint.path);
        if (m_errors.took(m_writer->removeCheckpoint(run, checkpoint.id)))
            removeCheckpointFiles(m_writer->place().artefacts() / checkpoint.path);
    }

    void stop(const RunId& run)
    {
        if (m_errors.took(m_writer->setStatus(run, RunStatus::Stopped)))
            m_note("stage 1");
    }

private:
    std::unique_ptr<RunWriter> m_writer;
    const Note& m_note;
    FirstError& m_errors;
};

/// Moves the log into the database without emptying it, as the writer's thread does every few seconds: the
/// next commit writes over the log from its beginning.
void checkpointLog(const StorePlace& place, FirstError& errors)
{
    errors.took(guarded([&] {
        Database database(place.database(), OpenMode::Write);
        CheckpointRole(place.folder).maintain(database);
    }));
}

/// What was acknowledged, from the notes.
struct Acknowledged
{
    RunId run;
    std::int64_t step = 0;
    std::set<std::int64_t> evaluations;
    std::set<std::string> checkpoints;
    std::int64_t stage = 0; ///< 1 = stopped, 2 = the second attempt has begun
};

Acknowledged readNotes(const std::vector<std::string>& notes)
{
    Acknowledged acknowledged;
    for (const auto& note : notes) {
        const auto space = note.find(' ');
        const std::string word = note.substr(0, space), value = note.substr(space + 1);
        if (word == "run")
            acknowledged.run = value;
        else if (word == "step")
            acknowledged.step = std::stoll(value);
        else if (word == "evaluation")
            acknowledged.evaluations.insert(std::stoll(value));
        else if (word == "checkpoint")
            acknowledged.checkpoints.insert(value);
        else if (word == "removing")
            acknowledged.checkpoints.erase(value);
        else if (word == "stage")
            acknowledged.stage = std::stoll(value);
    }
    return acknowledged;
}

std::int64_t stageOf(const StorePlace& place, const RunId& run)
{
    Database database(place.database(), OpenMode::Read);
    return database.integer("SELECT CASE status WHEN 'stopped' THEN 1 ELSE 2 * (attempt - 1) END FROM runs "
                            "WHERE id = ?",
                            run);
}

std::string stepsFault(const RunReader& reader, const Acknowledged& acknowledged)
{
    const auto steps = reader.steps(acknowledged.run, 0, 1000);
    if (!steps.ok())
        return steps.error().text();
    for (std::size_t i = 0; i < steps->size(); ++i)
        if (const auto expected = static_cast<std::int64_t>(i) + 1;
            (*steps)[i].step != expected || (*steps)[i].loss != lossOf(expected))
            return "step " + std::to_string(expected) + " is missing, double or wrong";
    if (std::ssize(*steps) < acknowledged.step)
        return "of " + std::to_string(acknowledged.step) + " acknowledged steps there are " +
               std::to_string(steps->size());
    return {};
}

std::string checkpointsFault(const RunReader& reader, const StorePlace& place,
                             const Acknowledged& acknowledged)
{
    const auto listed = reader.checkpoints(acknowledged.run);
    if (!listed.ok())
        return listed.error().text();
    std::set<std::string> paths, names;
    for (const auto& checkpoint : *listed) {
        paths.insert(checkpoint.path);
        names.insert(fs::path(checkpoint.path).filename().string());
        if (const auto verified = verifyCheckpoint(place.artefacts() / checkpoint.path); !verified.ok())
            return "a listed checkpoint is damaged: " + verified.error().text();
        if (const auto manifest = readFile(place.artefacts() / checkpoint.path / "manifest.json");
            !manifest.ok() || sha256Hex(*manifest) != checkpoint.manifestHash)
            return "a checkpoint's manifest is not the one of its row";
    }
    for (const auto& path : acknowledged.checkpoints)
        if (!paths.contains(path))
            return "an acknowledged checkpoint is not listed: " + path;
    const auto folder = place.artefacts() / "runs" / acknowledged.run / "checkpoints";
    sweepCheckpoints(folder, names);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (!names.contains(entry.path().filename().string()))
            return "not swept: " + entry.path().filename().string();
    return {};
}

} // namespace

RecordedPiece::RecordedPiece()
{
    TinyModelOptions options;
    options.vocabulary = 16;
    options.width = 8;
    options.layers = 1;
    options.heads = 2;
    options.keyValueHeads = 1;
    options.mlpWidth = 8;
    m_model = tinyModel(options);
    m_optimiser = std::make_unique<AdamW>(m_model->trainable(), OptimiserConfig{});
}

RecordedPiece::~RecordedPiece() = default;

Status RecordedPiece::write(const StorePlace& place, const Note& note) const
{
    FirstError errors;
    CheckpointContent content;
    content.model = m_model.get();
    content.optimiser = m_optimiser.get();
    const auto open = [&]() -> std::optional<Writing> {
        for (int attempt = 0; attempt < 2; ++attempt) // somebody who is told of a fault tries again
            if (auto writer = RunWriter::open(place); errors.took(writer))
                return Writing(std::move(*writer), note, errors);
        return std::nullopt;
    };
    RunId run;
    if (auto writing = open()) {
        NewRun newRun;
        newRun.name = "recorded";
        const auto begun = writing->writer().beginRun(newRun);
        if (!errors.took(begun))
            return errors.status();
        run = *begun;
        note("run " + run);
        writing->steps(run, 1, 1, 3);
        writing->evaluation(run, 3);
        writing->steps(run, 1, 4, kFirstSave);
        const auto first = writing->save(run, content, kFirstSave);
        checkpointLog(place, errors);
        writing->steps(run, 1, kFirstSave + 1, kStop);
        const auto second = writing->save(run, content, kStop);
        if (first && second)
            writing->remove(run, *first);
        writing->stop(run);
    }
    if (run.empty())
        return errors.status();
    if (auto writing = open())
        if (const auto attempt = writing->writer().beginAttempt(run, kStop); errors.took(attempt)) {
            note("stage 2");
            writing->steps(run, *attempt, kStop + 1, kSteps);
        }
    return errors.status();
}

std::string RecordedPiece::faultOf(const StorePlace& place, const std::vector<std::string>& notes)
{
    const auto acknowledged = readNotes(notes);
    {
        const auto editor = RunEditor::open(place); // whatever is there must open, and take what comes
        if (!editor.ok())
            return "cannot be opened for writing: " + editor.error().text();
        if (const auto drafted = (*editor)->saveDraft("after", "{}"); !drafted.ok())
            return "cannot be written: " + drafted.error().text();
    }
    const auto reader = RunReader::open(place);
    if (!reader.ok())
        return "cannot be opened: " + reader.error().text();
    if (const auto status = (*reader)->integrityCheck(); !status.ok())
        return "damaged: " + status.error().text();
    if (acknowledged.run.empty())
        return {};
    const auto details = (*reader)->run(acknowledged.run);
    if (!details.ok())
        return "the run is gone: " + details.error().text();
    if (const auto stage = stageOf(place, acknowledged.run); stage < acknowledged.stage)
        return "the run is at stage " + std::to_string(stage) + ", not " + std::to_string(acknowledged.stage);
    if (auto fault = stepsFault(**reader, acknowledged); !fault.empty())
        return fault;
    const auto evaluations = (*reader)->evaluations(acknowledged.run);
    if (!evaluations.ok() || evaluations->size() < acknowledged.evaluations.size())
        return "an acknowledged evaluation is gone";
    return checkpointsFault(**reader, place, acknowledged);
}

} // namespace assay::tests
