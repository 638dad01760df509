#include "core/run/session.h"

#include "core/base/build_id.h"
#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/config/task.h"
#include "core/run/build_model.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/evaluation.h"
#include "core/run/guarded.h"
#include "core/run/preflight/preflight.h"
#include "core/run/preflight/step_probe.h"
#include "core/run/scorer.h"
#include "core/run/step_batches.h"
#include "core/run/token_view.h"
#include "core/run/training/start_checks.h"
#include "core/run/training/training_run.h"

#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace assay {

namespace {

namespace fs = std::filesystem;
using SplitIds = std::optional<std::pair<std::vector<std::string>, std::vector<std::string>>>;

std::string shortName(const std::string& path)
{
    const fs::path p = fs::path(path).lexically_normal();
    return p.has_filename() ? p.stem().string() : p.parent_path().filename().string();
}

std::string backboneName(const ExperimentConfig& config)
{
    if (config.backbone.source == "scratch")
        return fmt::format("scratch {}x{}", config.backbone.layers, config.backbone.width);
    if (config.backbone.source == "checkpoint")
        return "checkpoint " + shortName(config.backbone.checkpoint);
    const fs::path p = fs::path(config.backbone.folder).lexically_normal();
    return p.has_filename() ? p.filename().string() : p.parent_path().filename().string();
}

Error firstProblem(const std::vector<FieldProblem>& problems)
{
    std::string more = problems.size() > 1 ? fmt::format(" ({} settings are invalid)", problems.size()) : "";
    return Error{ErrorCode::Usage, problems.front().message + more, problems.front().id};
}

ChosenCheckpoint* address(std::optional<ChosenCheckpoint>& checkpoint)
{
    return checkpoint ? &*checkpoint : nullptr;
}

class SessionImplementation : public Session
{
public:
    explicit SessionImplementation(StorePlace place)
        : m_place(std::move(place))
    {}

    Result<RunOutcome> train(const ExperimentConfig& config, RunObserver& observer,
                             std::stop_token stop) override
    {
        return guarded<RunOutcome>([&]() -> Result<RunOutcome> {
            if (const auto problems = validate(config); !problems.empty())
                return firstProblem(problems);
            TRY(auto origin, modelOrigin(m_place, config));
            TRY(const auto ids, importedSplit(config));
            TRY(auto parts, prepareWith(origin.recorded, origin.building, address(origin.checkpoint), ids,
                                        std::nullopt, true, observer, stop));
            TRY(auto writer, RunWriter::open(m_place));
            TRY(const auto id, begin(*writer, parts, address(origin.checkpoint)));
            RunLog log(*writer, observer, id, 1);
            return carryOut(std::move(parts), log, stop, {.origin = address(origin.checkpoint)});
        });
    }

    Result<RunOutcome> resume(const RunId& run, RunObserver& observer, std::stop_token stop) override
    {
        return guarded<RunOutcome>([&]() -> Result<RunOutcome> {
            TRY(const auto reader, RunReader::open(m_place));
            TRY(const auto details, reader->run(run));
            TRY(auto config, configFromJson(details.configJson));
            // Runs of versions without this setting kept every checkpoint; a resume must not delete them.
            if (details.configJson.find("checkpoint.keep_last") == std::string::npos)
                config.checkpoint.keepLast = std::nullopt;
            TRY_STATUS(checkRecordedData({config.data.train, config.data.evaluation}));
            TRY(const auto checkpoints, reader->checkpoints(run));
            auto newest = newestComplete(*reader, checkpoints);
            auto* from = address(newest.checkpoint);
            TRY(const auto splitIds, reader->splitIds(run));
            ModelOrigin origin{config, config, {}};
            if (from) {
                origin.building = buildingFrom(config, *from);
                origin.building.head.initialWeights.clear();
            } else {
                TRY(origin, modelOrigin(m_place, config));
            }
            TRY(auto parts, prepareWith(config, origin.building, from ? from : address(origin.checkpoint),
                                        config.data.evaluation.empty() ? SplitIds(splitIds) : std::nullopt,
                                        from ? from->position.dtype : details.dtype, false, observer, stop));
            TRY_STATUS(sameAsRecorded(details, parts, !from));
            TRY(auto writer, RunWriter::open(m_place));
            TRY(const auto attempt, writer->beginAttempt(run, from ? from->position.step : 0));
            RunLog log(*writer, observer, run, attempt);
            Beginning beginning{.from = from, .damaged = std::move(newest.damaged)};
            if (from)
                beginning.bitsMayDiffer = bitsMayDiffer(details, parts);
            return carryOut(std::move(parts), log, stop, std::move(beginning));
        });
    }

    Result<EvaluationRecord> evaluate(const RunId& run, std::int64_t checkpoint, const std::string& dataPath,
                                      RunObserver& observer, std::stop_token stop) override
    {
        return guarded<EvaluationRecord>(
            [&] { return evaluateRun(run, checkpoint, dataPath, observer, stop); });
    }

    Result<Preflight> probe(const ExperimentConfig& config, std::stop_token stop) override
    {
        return guarded<Preflight>([&]() -> Result<Preflight> {
            if (const auto problems = validate(config); !problems.empty())
                return firstProblem(problems);
            TRY(const auto origin, modelOrigin(m_place, config));
            TRY(const auto* data, prepareRows(origin.building, stop));
            return preflightOf(config, *data);
        });
    }

    Result<StepProbe> measure(const ExperimentConfig& config, std::stop_token stop) override
    {
        return guarded<StepProbe>([&]() -> Result<StepProbe> {
            if (const auto problems = validate(config); !problems.empty())
                return firstProblem(problems);
            TRY(const auto origin, modelOrigin(m_place, config));
            TRY(const auto* data, prepareRows(origin.building, stop));
            return measureStep(origin.building, *data, stop);
        });
    }

    Result<TokenView> tokenView(const ExperimentConfig& config, std::int64_t row) override
    {
        return guarded<TokenView>([&]() -> Result<TokenView> {
            TRY(const auto origin, modelOrigin(m_place, config));
            TRY_STATUS(prepareRows(origin.building, {}));
            return m_rows.tokens(origin.building, row);
        });
    }

    Result<TokenView> tokenView(const RunId& run, const std::string& exampleId) override
    {
        return guarded<TokenView>([&]() -> Result<TokenView> {
            TRY(const auto reader, RunReader::open(m_place));
            return tokenViewOfExample(*reader, run, exampleId);
        });
    }

    Result<std::unique_ptr<Scorer>> open(const RunId& run, std::int64_t checkpoint) override
    {
        return guarded<std::unique_ptr<Scorer>>([&]() -> Result<std::unique_ptr<Scorer>> {
            TRY(const auto reader, RunReader::open(m_place));
            TRY(const auto details, reader->run(run)); // an unknown run says so
            TRY(const auto chosen, chooseCheckpoint(*reader, run, checkpoint));
            return openScorer(chosen.files.folder);
        });
    }

private:
    /// What an attempt begins with.
    struct Beginning
    {
        ChosenCheckpoint* origin = nullptr; ///< another run's, whose weights are taken over
        ChosenCheckpoint* from = nullptr;   ///< the run's own, from which it goes on
        std::vector<DamagedCheckpoint> damaged = {};
        std::string bitsMayDiffer = {};
    };

    Result<SplitIds> importedSplit(const ExperimentConfig& config) const
    {
        if (config.data.splitFromRun.empty() || !config.data.evaluation.empty())
            return SplitIds();
        TRY(const auto reader, RunReader::open(m_place));
        TRY(const auto run, reader->findRun(config.data.splitFromRun));
        TRY(auto ids, reader->splitIds(run));
        return SplitIds(std::move(ids));
    }

    Result<const PreparedData*> prepareRows(const ExperimentConfig& config, const std::stop_token& stop)
    {
        TRY(const auto ids, importedSplit(config));
        return m_rows.prepare(config, ids, stop);
    }

    /// `building` names where the model comes from (`from`, if that is a checkpoint); `config` is what the
    /// run records.
    Result<RunParts> prepareWith(const ExperimentConfig& config, const ExperimentConfig& building,
                                 const ChosenCheckpoint* from, const SplitIds& splitIds,
                                 const std::optional<std::string>& dtype, bool starting,
                                 RunObserver& observer, std::stop_token stop)
    {
        RunParts parts;
        parts.config = config;
        TRY(auto plan, planModel(building));
        if (from) {
            plan.knownWeightsHash = from->files.weightsHash;
            plan.storedHeadKind = headKindOf(recordedConfig(*from)); // what `auto` stood for
        }
        TRY(parts.compute, chooseCompute(config.compute, plan.config.decoder, dtype));
        parts.tokenizer = plan.tokenizer;
        TRY(parts.data, prepareData(
                            config, plan.tokenizer, plan.config.decoder.vocabulary, splitIds,
                            [&observer](const std::string& text, double share) {
                                Progress progress;
                                progress.phase =
                                    share < 0.6 ? Progress::Phase::Loading : Progress::Phase::Checking;
                                progress.share = share;
                                progress.text = text;
                                observer.progress(progress);
                            },
                            stop));
        const auto preflight = preflightOf(config, parts.data);
        observer.preflightDone(preflight.report);
        if (starting)
            TRY_STATUS(mayStart(config, preflight));
        if (parts.data.train.kept.empty())
            return Error{ErrorCode::BadData, "no training row has a label left", config.data.train,
                         "Check labels and maximum length: see the label checks"};
        if (parts.data.evaluation.kept.empty())
            return Error{ErrorCode::BadData, "no evaluation row has a label left", config.data.evaluation,
                         "Check labels and maximum length: see the label checks"};
        TRY(auto built, buildModel(building, std::move(plan), parts.compute));
        parts.model = std::move(built.model);
        parts.ledger = std::move(built.ledger);
        parts.weightsHash = built.weightsHash;
        TRY(parts.objective,
            makeObjective(objectiveOf(config), {config.objective.wrongWeight, config.objective.centring}));
        return parts;
    }

    Result<RunId> begin(RunWriter& writer, RunParts& parts, const ChosenCheckpoint* from)
    {
        const auto& config = parts.config;
        NewRun run;
        run.name = !config.run.name.empty()
                       ? config.run.name
                       : fmt::format("{}-{}", shortName(config.data.train), backboneName(config));
        run.task = taskWord(taskOf(config));
        run.backbone = backboneName(config);
        run.data = shortName(config.data.train);
        run.configJson = configToJson(config);
        run.tags = config.run.tags;
        run.parent = from ? from->position.runId : config.run.parent;
        run.device = parts.compute.deviceId;
        run.deviceDescription = parts.compute.deviceDescription;
        run.dtype = parts.compute.dtype;
        run.threads = parts.compute.threads;
        run.buildId = buildId();
        run.trainFingerprint = parts.data.train.dataset->fingerprint();
        run.evaluationFingerprint = parts.data.evaluation.dataset->fingerprint();
        run.splitHash = parts.data.splitHash;
        run.tokenizerHash = parts.tokenizer ? parts.tokenizer->fingerprint() : std::string();
        run.weightsHash = parts.weightsHash;
        run.headHash = parts.model->headHash();
        run.trainIds = parts.data.trainIds;
        run.evaluationIds = parts.data.evaluationIds;
        run.preflightJson = reportToJson(preflightOf(config, parts.data).report);
        run.plannedSteps = plannedStepsOf(config, parts.data.train);
        TRY(auto id, writer.beginRun(run));
        return id;
    }

    static Status storeExamples(RunWriter& writer, const PreparedSide& side)
    {
        std::vector<StoredExample> examples;
        for (const auto row : side.kept)
            examples.push_back(storedExample(side.dataset->at(row)));
        return writer.addExamples(examples);
    }

    void tellStart(const RunParts& parts, RunLog& log, const Beginning& beginning, std::int64_t step)
    {
        const auto& data = parts.data;
        const auto* from = beginning.from;
        for (const auto& [record, error] : beginning.damaged)
            log.event(step, EventLevel::Warning, "checkpoint",
                      fmt::format("The checkpoint of step {} is damaged and was passed over: {}", record.step,
                                  error.text()));
        if (!beginning.bitsMayDiffer.empty())
            log.event(step, EventLevel::Warning, "resumed", beginning.bitsMayDiffer);
        log.event(step, EventLevel::Info, from ? "resumed" : "started",
                  from ? fmt::format("Resumed from the checkpoint of step {} on {}, {}", step,
                                     parts.compute.deviceDescription, parts.compute.dtype)
                       : fmt::format("Started on {}, {}: {} training rows, {} evaluation rows, {} tokens",
                                     parts.compute.deviceDescription, parts.compute.dtype,
                                     data.train.kept.size(), data.evaluation.kept.size(), data.train.tokens));
        if (!parts.compute.reason.empty())
            log.event(step, EventLevel::Info, "probe", parts.compute.reason);
        const auto left = data.train.dropped + data.train.nothingSupervised;
        if (left > 0 || data.train.cut.labelsWrong + data.train.cut.labelsCorrect > 0)
            log.event(step, EventLevel::Warning, "truncation",
                      fmt::format("Training rows left out: {} too long, {} without a label; labels "
                                  "cut: {} correct, {} wrong",
                                  data.train.dropped, data.train.nothingSupervised,
                                  data.train.cut.labelsCorrect, data.train.cut.labelsWrong));
        for (const auto& finding : data.checks.report.findings)
            if (finding.severity != Severity::Note)
                log.event(step, finding.severity == Severity::Red ? EventLevel::Error : EventLevel::Warning,
                          "label-check", finding.title + ": " + finding.evidence);
        if (data.checks.report.firstRed() && !parts.config.run.overrideReason.empty())
            log.event(step, EventLevel::Warning, "override",
                      "Red label checks overridden: " + parts.config.run.overrideReason);
        std::size_t fresh = 0;
        for (const auto& entry : parts.ledger)
            fresh += entry.action == "initialised" ? 1 : 0;
        log.event(
            step, EventLevel::Info, "ledger",
            fmt::format("Weights: {} tensors, {} of them newly initialised", parts.ledger.size(), fresh));
    }

    /// What a run takes over from another one's checkpoint, and where it differs from it.
    void tellOrigin(const RunParts& parts, RunLog& log, const ChosenCheckpoint& from)
    {
        log.event(0, EventLevel::Info, "origin",
                  fmt::format("Weights from {}, SHA-256 {}", describe(from), parts.weightsHash));
        const auto text = readFile(from.files.folder / "layout.json", 1 << 20);
        if (text.ok() && *text != layoutToJson(parts.data.layout->options()))
            log.event(0, EventLevel::Warning, "origin",
                      "The layout is not the one that the checkpoint was trained with");
        for (const auto& entry : parts.ledger)
            if (entry.action == "initialised" || entry.action == "unused")
                log.event(0, EventLevel::Warning, "origin",
                          fmt::format("{} {}: {}", entry.tensor, entry.action, entry.detail));
    }

    /// Runs the loop and writes how it ended, whatever happened since the run's row was written.
    Result<RunOutcome> carryOut(RunParts parts, RunLog& log, const std::stop_token& stop, Beginning beginning)
    {
        parts.artefacts = m_place.artefacts();
        parts.checkpoints = parts.artefacts / "runs" / log.run() / "checkpoints";
        auto outcome = guarded<RunOutcome>([&]() -> Result<RunOutcome> {
            TRY_STATUS(storeExamples(log.writer(), parts.data.evaluation));
            TRY(const auto reader, RunReader::open(m_place));
            TRY(const auto details, reader->run(log.run()));
            TRY(auto listed, reader->checkpoints(log.run()));
            std::set<std::string> names;
            for (const auto& checkpoint : listed)
                names.insert(fs::path(checkpoint.path).filename().string());
            sweepCheckpoints(parts.checkpoints, names);
            auto* from = beginning.from;
            const std::int64_t step = from ? from->position.step : 0;
            if (beginning.origin) {
                tellOrigin(parts, log, *beginning.origin);
                beginning.origin->lock.reset();
            }
            tellStart(parts, log, beginning, step);
            log.observer().runStarted(details);
            TrainingRun run(std::move(parts), log, stop);
            if (from) {
                TRY_STATUS(run.restore(from->files, std::move(listed)));
                from->lock.reset(); // the policy may take this one away, too
            }
            TRY(const auto evaluations, reader->evaluations(log.run()));
            TRY(const auto steps, reader->steps(log.run(), std::max<std::int64_t>(0, step - 50), 50));
            run.continueAfter(evaluations, steps);
            return run.run([&log] { log.observer().boundary(); });
        });
        if (!outcome) {
            const Error& error = outcome.error();
            log.event(0, EventLevel::Error, "error", error.text());
            (void)log.writer().setStatus(
                log.run(), error.code == ErrorCode::Cancelled ? RunStatus::Stopped : RunStatus::Failed,
                error.text());
        } else {
            log.event(outcome->step, EventLevel::Info,
                      outcome->status == RunStatus::Finished ? "finished" : "stopped",
                      fmt::format("{} after {} optimiser steps, {:.1f} s{}{}",
                                  outcome->status == RunStatus::Finished ? "Finished" : "Stopped",
                                  outcome->step, outcome->seconds,
                                  outcome->reason.empty() ? "" : "; early: ", outcome->reason));
            TRY_STATUS(log.writer().setStatus(log.run(), outcome->status));
        }
        log.flush();
        return outcome;
    }

    Result<EvaluationRecord> evaluateRun(const RunId& run, std::int64_t checkpoint,
                                         const std::string& dataPath, RunObserver& observer,
                                         std::stop_token stop)
    {
        TRY(const auto reader, RunReader::open(m_place));
        TRY(const auto details, reader->run(run));
        TRY(auto config, configFromJson(details.configJson));
        TRY(auto chosen, chooseCheckpoint(*reader, run, checkpoint));
        const auto record = chosen.record;
        TRY(const auto splitIds, reader->splitIds(run));
        auto building = buildingFrom(config, chosen);
        building.head.initialWeights.clear();
        TRY_STATUS(checkRecordedData(
            {config.data.train, dataPath.empty() ? config.data.evaluation : std::string()}));
        if (!dataPath.empty())
            config.data.evaluation = dataPath;
        TRY(auto parts, prepareWith(config, building, &chosen,
                                    config.data.evaluation.empty() ? SplitIds(splitIds) : std::nullopt,
                                    details.dtype, false, observer, stop));
        const auto settings = evaluationSettings(config, parts.compute);
        const Stopwatch watch;
        TRY(const auto scored, scoreSide(*parts.model, *parts.objective, parts.data.evaluation, settings,
                                         [&](const EvaluationProgress& done) {
                                             Progress progress;
                                             progress.phase = Progress::Phase::Evaluating;
                                             progress.share = done.share();
                                             progress.step = record.step;
                                             progress.text = done.text(settings.task);
                                             observer.progress(progress);
                                             return !stop.stop_requested();
                                         }));
        VerdictContext context;
        context.evaluationsDone = 2;
        context.trainedShare =
            details.summary.plannedSteps > 0
                ? static_cast<double>(record.step) / static_cast<double>(details.summary.plannedSteps)
                : 1.0;
        context.finished = record.final;
        Verdict verdict;
        auto evaluation = judge(scored, parts.data, settings, context, verdict);
        evaluation.step = record.step;
        evaluation.data = dataPath;
        evaluation.dataFingerprint = parts.data.evaluation.dataset->fingerprint();
        evaluation.seconds = watch.seconds();
        TRY(auto writer, RunWriter::open(m_place));
        TRY_STATUS(storeExamples(*writer, parts.data.evaluation));
        RunLog log(*writer, observer, run, 0); // of the newest attempt
        const auto predictions = storedPredictions(scored.set);
        TRY_STATUS(log.evaluation(evaluation, predictions));
        log.event(record.step, EventLevel::Info, "evaluation",
                  fmt::format("Evaluated the checkpoint of step {} on {}: verdict {}", record.step,
                              dataPath.empty() ? "the run's evaluation rows" : dataPath, verdict.badge()));
        log.flush();
        return evaluation;
    }

    StorePlace m_place;
    PreparedRows m_rows; ///< of the experiment that is being written
};

} // namespace

std::unique_ptr<Session> Session::create(StorePlace place)
{
    return std::make_unique<SessionImplementation>(std::move(place));
}

} // namespace assay
