#include "core/run/scoring/evaluate_checkpoint.h"

#include "core/config/json.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/training/prepare_run.h"
#include "core/run/training/run_log.h"

#include <fmt/format.h>

#include <filesystem>

namespace assay {

namespace {

/// The rows to score, beside the training side as the run used it, where that can still be had.
class RowsOfRun
{
public:
    RowsOfRun(const RunDetails& details, SplitIds ids, const std::string& dataPath)
        : m_details(details)
        , m_ids(std::move(ids))
        , m_own(dataPath.empty())
    {}

    /// Empty, or why nothing is compared with the training side.
    const std::string& whyAlone() const { return m_whyAlone; }

    Result<PreparedData> prepare(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                                 const ModelLimits& limits, const PrepareProgress& progress,
                                 const std::stop_token& stop)
    {
        const bool split = config.data.evaluation.empty(); // the rows come from the training file itself
        std::error_code ignored;
        if (!std::filesystem::exists(config.data.train, ignored) && !split) {
            m_whyAlone = "is gone";
        } else {
            auto data = prepareData(config, tokenizer, limits, m_ids, progress, stop);
            const bool cannot = !data.ok() && data.error().code != ErrorCode::Cancelled;
            if (split || (!data.ok() && !cannot))
                return data;
            if (data.ok() && data->train.dataset->fingerprint() == m_details.trainFingerprint)
                return data;
            m_whyAlone = "has changed";
        }
        return prepareEvaluation(config, tokenizer, limits, progress, stop);
    }

    /// The run's own rows must be those it recorded.
    Status check(const ExperimentConfig& config, const PreparedData& data) const
    {
        if (m_own && data.evaluation.dataset->fingerprint() != m_details.evaluationFingerprint)
            return Error{ErrorCode::BadData, "the evaluation file has changed since this run began",
                         config.data.evaluation.empty() ? config.data.train : config.data.evaluation,
                         "Bring it back as it was, or name the file to evaluate it as other data"};
        return {};
    }

private:
    const RunDetails& m_details;
    SplitIds m_ids;
    bool m_own;
    std::string m_whyAlone;
};

/// Says in report and verdict what could not be looked at.
void noteMissingTraining(EvaluationRecord& evaluation, const ExperimentConfig& config, const std::string& why)
{
    Finding finding;
    finding.id = "training-file-missing";
    finding.severity = Severity::Warning;
    finding.title = "Not compared with the training rows";
    finding.evidence =
        fmt::format("The training file {} {}: whether evaluation prompts stand in it, and what "
                    "baselines fitted on it reach, is not known.",
                    config.data.train, why);
    finding.remedy = "Bring the file back as it was, and evaluate again.";
    evaluation.verdictEvidence += (evaluation.verdictEvidence.empty() ? "" : " ") + finding.evidence;
    evaluation.report.findings.push_back(std::move(finding));
}

Status store(const StorePlace& place, const RunId& run, EvaluationRecord& evaluation, const EvaluatedSet& set,
             const PreparedSide& side, RunObserver& observer, const std::string& whyAlone)
{
    TRY(auto writer, RunWriter::open(place));
    TRY_STATUS(writer->addExamples(storedExamples(side)));
    RunLog log(*writer, observer, run, 0); // of the newest attempt
    TRY_STATUS(log.evaluation(evaluation, storedPredictions(set)));
    log.event(evaluation.step, EventLevel::Info, "evaluation",
              fmt::format("Evaluated the checkpoint of step {} on {}: verdict {}", evaluation.step,
                          evaluation.data.empty() ? "the run's evaluation rows" : evaluation.data,
                          evaluation.verdictBadge));
    if (!whyAlone.empty())
        log.event(evaluation.step, EventLevel::Warning, "evaluation",
                  fmt::format("The training file {}: leaks and fitted baselines were left out", whyAlone));
    log.flush();
    return {};
}

} // namespace

Result<EvaluationRecord> evaluateCheckpoint(const StorePlace& place, const RunId& run,
                                            std::optional<std::int64_t> checkpoint,
                                            const std::string& dataPath, RunObserver& observer,
                                            const std::stop_token& stop)
{
    TRY(const auto reader, RunReader::open(place));
    TRY(const auto details, reader->run(run));
    TRY(auto config, configFromJson(details.configJson));
    TRY(const auto chosen, chooseCheckpoint(*reader, run, checkpoint));
    const auto& record = chosen.record;
    auto building = buildingFrom(config, chosen);
    building.head.takeFromFolder();
    if (!dataPath.empty())
        config.data.evaluation = dataPath;
    TRY_STATUS(checkRecordedData({config.data.evaluation.empty() ? config.data.train : std::string(),
                                  dataPath.empty() ? config.data.evaluation : std::string()}));
    TRY(auto ids, reader->splitIds(run));
    RowsOfRun rows(details, std::move(ids), dataPath);
    TRY(auto parts, prepareRun(
                        {config, building, &chosen, details.dtype, ModelUse::Scoring},
                        [&](const auto& tokenizer, const auto& limits, const auto& progress) {
                            return rows.prepare(config, tokenizer, limits, progress, stop);
                        },
                        [&](const PreparedData& data) -> Status {
                            TRY_STATUS(rows.check(config, data));
                            observer.preflightDone(data.checks.report);
                            return hasEvaluationRows(config, data);
                        },
                        observer));
    const auto settings = evaluationSettings(config, parts.compute, parts.model->backbone());
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
    const auto planned = details.summary.plannedSteps;
    context.trainedShare =
        planned > 0 ? static_cast<double>(record.step) / static_cast<double>(planned) : 1.0;
    context.finished = record.final;
    Verdict verdict;
    auto evaluation = judge(scored, parts.data, settings, context, verdict);
    evaluation.step = record.step;
    evaluation.data = dataPath;
    evaluation.dataFingerprint = parts.data.evaluation.dataset->fingerprint();
    evaluation.seconds = watch.seconds();
    if (!rows.whyAlone().empty())
        noteMissingTraining(evaluation, config, rows.whyAlone());
    TRY_STATUS(store(place, run, evaluation, scored.set, parts.data.evaluation, observer, rows.whyAlone()));
    return evaluation;
}

} // namespace assay
