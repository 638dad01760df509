#include "core/run/session.h"

#include "core/base/build_id.h"
#include "core/base/durable_file.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/config/task.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/guarded.h"
#include "core/run/preflight/preflight.h"
#include "core/run/preflight/step_probe.h"
#include "core/run/probes/inspect_model.h"
#include "core/run/probes/open_trial.h"
#include "core/run/scorer.h"
#include "core/run/scoring/evaluate_checkpoint.h"
#include "core/run/step_batches.h"
#include "core/run/token_view.h"
#include "core/run/training/prepare_run.h"
#include "core/run/training/run_ledger.h"
#include "core/run/training/start_checks.h"
#include "core/run/training/training_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace assay {

namespace {

namespace fs = std::filesystem;

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

/// 0 = the newest.
std::optional<std::int64_t> stepOf(std::int64_t checkpoint)
{
    return checkpoint > 0 ? std::optional(checkpoint) : std::nullopt;
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
            auto* from = address(origin.checkpoint);
            TRY(auto parts, prepareRun(
                                {origin.recorded, origin.building, from, std::nullopt},
                                rowsOf(origin.recorded, ids, stop),
                                [&](const PreparedData& data) {
                                    const auto preflight = preflightOf(origin.recorded, data);
                                    observer.preflightDone(preflight.report);
                                    return mayStart(origin.recorded, preflight);
                                },
                                observer));
            TRY(auto writer, RunWriter::open(m_place));
            TRY(const auto id, begin(*writer, parts, from));
            RunLog log(*writer, observer, id, 1);
            return carryOut(std::move(parts), log, stop, {.origin = from});
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
            TRY(auto splitIds, reader->splitIds(run));
            ModelOrigin origin{config, config, {}};
            if (from) {
                origin.building = buildingFrom(config, *from);
                origin.building.head.takeFromFolder();
            } else {
                TRY(origin, modelOrigin(m_place, config));
            }
            TRY(auto parts,
                prepareRun(
                    {config, origin.building, from ? from : address(origin.checkpoint),
                     from ? from->position.dtype : details.dtype},
                    rowsOf(config,
                           config.data.evaluation.empty() ? std::optional(std::move(splitIds)) : std::nullopt,
                           stop),
                    [&](const PreparedData& data) -> Status {
                        observer.preflightDone(preflightOf(config, data).report);
                        return hasEvaluationRows(config, data);
                    },
                    observer));
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
            [&] { return evaluateCheckpoint(m_place, run, stepOf(checkpoint), dataPath, observer, stop); });
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
            TRY(const auto chosen, chooseCheckpoint(*reader, run, stepOf(checkpoint)));
            return openScorer(chosen.files.folder);
        });
    }

    Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch& watch) override
    {
        return assay::inspectModel(request, watch);
    }

    Result<std::shared_ptr<ModelTrial>> tryModel(const ModelRequest& request) override
    {
        return openTrial(request);
    }

    Result<Ledger> ledger(const RunId& run) override { return readLedger(m_place, run); }

    Result<ExportReport> exportModel(const std::string& source, std::optional<std::int64_t> step,
                                     const std::string& target, const ExportOptions& options,
                                     const ExportWatch& watch) override
    {
        return assay::exportModel(m_place, source, step, target, options, watch);
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

    static RowPreparation rowsOf(const ExperimentConfig& config, const std::optional<SplitIds>& ids,
                                 const std::stop_token& stop)
    {
        return [config, ids, stop](const TokenizerPtr& tokenizer, const ModelLimits& limits,
                                   const PrepareProgress& progress) {
            return prepareData(config, tokenizer, limits, ids, progress, stop);
        };
    }

    Result<std::optional<SplitIds>> importedSplit(const ExperimentConfig& config) const
    {
        if (config.data.splitFromRun.empty() || !config.data.evaluation.empty())
            return std::optional<SplitIds>();
        TRY(const auto reader, RunReader::open(m_place));
        TRY(const auto run, reader->findRun(config.data.splitFromRun));
        TRY(auto ids, reader->splitIds(run));
        return std::optional(std::move(ids));
    }

    Result<const PreparedData*> prepareRows(const ExperimentConfig& config, const std::stop_token& stop)
    {
        TRY(const auto ids, importedSplit(config));
        return m_rows.prepare(config, ids, stop);
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
        return writer.beginRun(run);
    }

    void tellStart(const RunParts& parts, RunLog& log, const Beginning& beginning, std::int64_t step)
    {
        const auto& data = parts.data;
        const auto* from = beginning.from;
        for (const auto& [record, error] : beginning.damaged)
            log.event(step, EventLevel::Warning, "checkpoint",
                      fmt::format("The checkpoint of step {} is damaged and was passed over: {}", record.step,
                                  error.text()));
        log.event(step, EventLevel::Info, from ? "resumed" : "started",
                  from ? fmt::format("Resumed from the checkpoint of step {} on {}, {}", step,
                                     parts.compute.deviceDescription, parts.compute.dtype)
                       : fmt::format("Started on {}, {}: {} training rows, {} evaluation rows, {} tokens",
                                     parts.compute.deviceDescription, parts.compute.dtype,
                                     data.train.kept.size(), data.evaluation.kept.size(), data.train.tokens));
        if (!beginning.bitsMayDiffer.empty())
            log.event(step, EventLevel::Warning, "resumed", beginning.bitsMayDiffer);
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
        if (parts.tag)
            log.event(step, EventLevel::Info, "step-tag", stepTagText(*parts.tag));
        std::size_t fresh = 0;
        for (const auto& entry : parts.ledger)
            fresh += entry.action == "initialised" ? 1 : 0;
        log.event(step, EventLevel::Info, "ledger",
                  fmt::format("Weights: {} tensors, {} of them newly initialised; `assay show {} --ledger` "
                              "lists them",
                              parts.ledger.size(), fresh, log.run()));
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
            TRY_STATUS(log.writer().addExamples(storedExamples(parts.data.evaluation)));
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
            TRY_STATUS(keepLedger(m_place, log.run(), parts.ledger));
            log.observer().runStarted(details);
            TrainingRun run(std::move(parts), log, stop);
            if (from) {
                TRY_STATUS(run.restore(from->files, std::move(listed)));
                from->lock.reset(); // the policy may take this one away, too
            }
            TRY(const auto evaluations, reader->evaluations(log.run()));
            TRY(const auto steps,
                reader->steps(log.run(), std::max<std::int64_t>(0, step - TrainingRun::kRecentSteps),
                              TrainingRun::kRecentSteps));
            run.continueAfter(evaluations, steps);
            return run.run([&log] { log.observer().boundary(); });
        });
        TRY_STATUS(tellEnd(log, outcome));
        return outcome;
    }

    Status tellEnd(RunLog& log, const Result<RunOutcome>& outcome)
    {
        Status stored;
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
            stored = log.writer().setStatus(log.run(), outcome->status);
        }
        log.flush();
        return stored;
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
