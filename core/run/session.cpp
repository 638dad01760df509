#include "core/run/session.h"

#include "core/base/build_id.h"
#include "core/base/hash.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/run/build_model.h"
#include "core/run/evaluation.h"
#include "core/run/scorer.h"
#include "core/run/token_view.h"
#include "core/run/training/training_run.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <filesystem>

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
    const fs::path p = fs::path(config.backbone.folder).lexically_normal();
    return p.has_filename() ? p.filename().string() : p.parent_path().filename().string();
}

Error firstProblem(const std::vector<FieldProblem>& problems)
{
    std::string more = problems.size() > 1 ? fmt::format(" ({} settings are invalid)", problems.size()) : "";
    return Error{ErrorCode::Usage, problems.front().message + more, problems.front().id};
}

/// Turns what libraries throw into a stored error, at one place.
template <typename T>
Result<T> guarded(const std::function<Result<T>()>& work)
{
    try {
        return work();
    } catch (const c10::OutOfMemoryError& error) {
        return Error{ErrorCode::OutOfMemory,
                     error.what_without_backtrace(),
                     {},
                     "Lower batch.examples, or set batch.maximum_tokens"};
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        if (text.find("not enough memory") != std::string::npos ||
            text.find("can't allocate") != std::string::npos)
            return Error{
                ErrorCode::OutOfMemory, text, {}, "Lower batch.examples, or set batch.maximum_tokens"};
        return Error{ErrorCode::Internal, text};
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory,
                     "memory ran out",
                     {},
                     "Lower batch.examples, or set batch.maximum_tokens"};
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, error.what()};
    }
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
            TRY(auto parts, prepare(config, std::nullopt, observer, stop));
            if (const auto* red = parts.data.checks.report.firstRed();
                red && config.run.overrideReason.empty())
                return Error{
                    ErrorCode::Blocked, fmt::format("a label check blocks the start: {}", red->title),
                    red->evidence,
                    "Mend the data, or give run.override_reason; the reason is recorded with the run"};
            TRY(auto writer, RunWriter::open(m_place));
            TRY(const auto id, begin(*writer, parts));
            RunLog log(*writer, observer, id, 1);
            return carryOut(std::move(parts), log, stop, std::nullopt);
        });
    }

    Result<RunOutcome> resume(const RunId& run, RunObserver& observer, std::stop_token stop) override
    {
        return guarded<RunOutcome>([&]() -> Result<RunOutcome> {
            TRY(const auto reader, RunReader::open(m_place));
            TRY(const auto details, reader->run(run));
            TRY(auto config, configFromJson(details.configJson));
            TRY_STATUS(checkRecordedData({config.data.train, config.data.evaluation}));
            TRY(const auto checkpoints, reader->checkpoints(run));
            std::optional<fs::path> folder = newestComplete(checkpoints);
            TRY(const auto splitIds, reader->splitIds(run));
            auto building = config;
            std::optional<TrainingPosition> position;
            if (folder) {
                TRY(position, readTrainingPosition(*folder));
                building.backbone.source = "folder";
                building.backbone.folder = folder->string();
                building.head.initialWeights.clear();
            }
            TRY(auto parts,
                prepareWith(config, building,
                            config.data.evaluation.empty() ? SplitIds(splitIds) : std::nullopt,
                            position ? std::optional(position->dtype) : std::optional(details.dtype),
                            observer, stop));
            if (parts.data.train.dataset->fingerprint() != details.trainFingerprint)
                return Error{ErrorCode::BadData, "the file has changed since this run began",
                             config.data.train,
                             "Bring back the file as it was, or start a new run on the new one"};
            TRY(auto writer, RunWriter::open(m_place));
            TRY(const auto attempt, writer->beginAttempt(run, position ? position->step : 0));
            RunLog log(*writer, observer, run, attempt);
            return carryOut(std::move(parts), log, stop, folder);
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
            TRY(const auto plan, planModel(config));
            TRY(const auto ids, importedSplit(config));
            TRY(auto data, prepareData(
                               config, plan.tokenizer, plan.config.decoder.vocabulary, ids,
                               [](const std::string&, double) {}, stop));
            return preflightOf(config, data);
        });
    }

    Result<TokenView> tokenView(const ExperimentConfig& config, std::int64_t row) override
    {
        return guarded<TokenView>([&] { return tokenViewOfRow(config, row); });
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
            TRY(const auto folder, checkpointFolder(*reader, run, checkpoint));
            return openScorer(folder.second);
        });
    }

private:
    /// Newest first; the first that passes its manifest. A damaged one is passed over, never used.
    std::optional<fs::path> newestComplete(std::vector<CheckpointRecord> checkpoints) const
    {
        std::sort(checkpoints.begin(), checkpoints.end(),
                  [](const auto& a, const auto& b) { return a.step > b.step; });
        for (const auto& checkpoint : checkpoints) {
            const fs::path folder = m_place.artefacts() / checkpoint.path;
            if (verifyCheckpoint(folder).ok())
                return folder;
        }
        return std::nullopt;
    }

    Result<std::pair<CheckpointRecord, fs::path>> checkpointFolder(const RunReader& reader, const RunId& run,
                                                                   std::int64_t step) const
    {
        TRY(auto checkpoints, reader.checkpoints(run));
        if (step > 0)
            std::erase_if(checkpoints, [step](const auto& c) { return c.step != step; });
        if (checkpoints.empty())
            return Error{ErrorCode::NotFound,
                         step > 0 ? fmt::format("the run has no checkpoint of step {}", step)
                                  : "the run has no checkpoint yet",
                         run};
        const auto newest = std::max_element(checkpoints.begin(), checkpoints.end(),
                                             [](const auto& a, const auto& b) { return a.step < b.step; });
        const fs::path folder = m_place.artefacts() / newest->path;
        TRY_STATUS(verifyCheckpoint(folder));
        return std::pair(*newest, folder);
    }

    Result<SplitIds> importedSplit(const ExperimentConfig& config) const
    {
        if (config.data.splitFromRun.empty() || !config.data.evaluation.empty())
            return SplitIds();
        TRY(const auto reader, RunReader::open(m_place));
        TRY(const auto run, reader->findRun(config.data.splitFromRun));
        TRY(auto ids, reader->splitIds(run));
        return SplitIds(std::move(ids));
    }

    Result<RunParts> prepare(const ExperimentConfig& config, const std::optional<std::string>& dtype,
                             RunObserver& observer, std::stop_token stop)
    {
        TRY(const auto ids, importedSplit(config));
        return prepareWith(config, config, ids, dtype, observer, stop);
    }

    /// `building` names where the model comes from; `config` is what the run records.
    Result<RunParts> prepareWith(const ExperimentConfig& config, const ExperimentConfig& building,
                                 const SplitIds& splitIds, const std::optional<std::string>& dtype,
                                 RunObserver& observer, std::stop_token stop)
    {
        RunParts parts;
        parts.config = config;
        TRY(auto plan, planModel(building));
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
        observer.preflightDone(preflightOf(config, parts.data).report);
        if (parts.data.train.kept.empty())
            return Error{ErrorCode::BadData, "no training row has a supervised step left", config.data.train,
                         "Check labels and maximum length: see the label checks"};
        if (parts.data.evaluation.kept.empty())
            return Error{ErrorCode::BadData, "no evaluation row has a supervised step left",
                         config.data.evaluation, "Check labels and maximum length: see the label checks"};
        TRY(auto built, buildModel(building, std::move(plan), parts.compute));
        parts.model = std::move(built.model);
        parts.ledger = std::move(built.ledger);
        parts.weightsHash = built.weightsHash;
        TRY(parts.objective, makeObjective(config.objective.name, {config.objective.wrongWeight}));
        return parts;
    }

    Preflight preflightOf(const ExperimentConfig& config, const PreparedData& data) const
    {
        Preflight preflight;
        preflight.report = data.checks.report;
        preflight.report.metrics.insert(preflight.report.metrics.end(), data.baselines.metrics.begin(),
                                        data.baselines.metrics.end());
        preflight.trainExamples = static_cast<std::int64_t>(data.train.kept.size());
        preflight.evaluationExamples = static_cast<std::int64_t>(data.evaluation.kept.size());
        preflight.trainTokens = data.train.tokens;
        const auto perStep = config.batch.examples * config.batch.accumulation;
        preflight.plannedSteps = config.schedule.epochs * ((preflight.trainExamples + perStep - 1) / perStep);
        if (config.schedule.maximumSteps > 0)
            preflight.plannedSteps = std::min(preflight.plannedSteps, config.schedule.maximumSteps);
        return preflight;
    }

    Result<RunId> begin(RunWriter& writer, RunParts& parts)
    {
        const auto& config = parts.config;
        NewRun run;
        run.name = !config.run.name.empty()
                       ? config.run.name
                       : fmt::format("{}-{}", shortName(config.data.train), backboneName(config));
        run.backbone = backboneName(config);
        run.data = shortName(config.data.train);
        run.configJson = configToJson(config);
        run.tags = config.run.tags;
        run.parent = config.run.parent;
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
        run.plannedSteps = TrainingRun::plannedStepsOf(parts);
        TRY(auto id, writer.beginRun(run));
        std::vector<StoredExample> examples;
        for (const auto row : parts.data.evaluation.kept)
            examples.push_back(storedExample(parts.data.evaluation.dataset->at(row)));
        TRY_STATUS(writer.addExamples(examples));
        return id;
    }

    void tellStart(const RunParts& parts, RunLog& log, const std::optional<fs::path>& from, std::int64_t step)
    {
        const auto& data = parts.data;
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
                      fmt::format("Training rows left out: {} too long, {} without a supervised step; labels "
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

    /// Runs the loop and writes how it ended, whatever happened.
    Result<RunOutcome> carryOut(RunParts parts, RunLog& log, const std::stop_token& stop,
                                const std::optional<fs::path>& from)
    {
        parts.checkpointsRelative = fmt::format("runs/{}/checkpoints", log.run());
        parts.checkpoints = m_place.artefacts() / parts.checkpointsRelative;
        sweepTemporaryCheckpoints(parts.checkpoints);
        auto outcome = guarded<RunOutcome>([&]() -> Result<RunOutcome> {
            TRY(const auto reader, RunReader::open(m_place));
            TRY(const auto details, reader->run(log.run()));
            std::int64_t step = 0;
            if (from) {
                TRY(const auto position, readTrainingPosition(*from));
                step = position.step;
            }
            tellStart(parts, log, from, step);
            log.observer().runStarted(details);
            TrainingRun run(std::move(parts), log, stop);
            if (from)
                TRY_STATUS(run.restore(*from));
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
                      fmt::format("{} after {} optimiser steps, {:.1f} s",
                                  outcome->status == RunStatus::Finished ? "Finished" : "Stopped",
                                  outcome->step, outcome->seconds));
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
        TRY(const auto chosen, checkpointFolder(*reader, run, checkpoint));
        const auto& [record, folder] = chosen;
        TRY(const auto splitIds, reader->splitIds(run));
        auto building = config;
        building.backbone.source = "folder";
        building.backbone.folder = folder.string();
        building.head.initialWeights.clear();
        TRY_STATUS(checkRecordedData(
            {config.data.train, dataPath.empty() ? config.data.evaluation : std::string()}));
        if (!dataPath.empty())
            config.data.evaluation = dataPath;
        TRY(auto parts,
            prepareWith(config, building, config.data.evaluation.empty() ? SplitIds(splitIds) : std::nullopt,
                        details.dtype, observer, stop));
        const auto settings = evaluationSettings(config, parts.compute);
        const Stopwatch watch;
        TRY(const auto scored, scoreSide(
                                   *parts.model, *parts.objective, parts.data.evaluation, settings,
                                   [&](double share) {
                                       Progress progress;
                                       progress.phase = Progress::Phase::Evaluating;
                                       progress.share = share;
                                       progress.step = record.step;
                                       observer.progress(progress);
                                   },
                                   stop));
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
        evaluation.seconds = watch.seconds();
        TRY(auto writer, RunWriter::open(m_place));
        std::vector<StoredExample> examples;
        for (const auto row : parts.data.evaluation.kept)
            examples.push_back(storedExample(parts.data.evaluation.dataset->at(row)));
        TRY_STATUS(writer->addExamples(examples));
        RunLog log(*writer, observer, run, 1);
        const auto predictions = storedPredictions(scored.set);
        TRY_STATUS(log.evaluation(evaluation, predictions));
        log.event(record.step, EventLevel::Info, "evaluation",
                  fmt::format("Evaluated the checkpoint of step {} on {}: verdict {}", record.step,
                              dataPath.empty() ? "the run's evaluation rows" : dataPath, verdict.badge()));
        log.flush();
        return evaluation;
    }

    StorePlace m_place;
};

} // namespace

std::unique_ptr<Session> Session::create(StorePlace place)
{
    return std::make_unique<SessionImplementation>(std::move(place));
}

} // namespace assay
