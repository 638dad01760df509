// What a run keeps of itself: checkpoints, and what its evaluations mean for them and for its end.
#include "core/config/json.h"
#include "core/run/training/training_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay {

namespace {

constexpr std::size_t kProbeRows = 8;

Result<TrainingPosition> readBack(const std::filesystem::path& folder, RewardModel& model)
{
    TRY(const auto verified, verifyCheckpoint(folder));
    return loadCheckpoint(verified, &model, nullptr);
}

} // namespace

Status TrainingRun::restore(const VerifiedCheckpoint& checkpoint, std::vector<CheckpointRecord> listed)
{
    TRY(auto position, loadCheckpoint(checkpoint, nullptr, m_optimiser.get()));
    m_step = position.step;
    m_savedAt = position.step;
    m_savedFinal = std::any_of(listed.begin(), listed.end(), [&position](const auto& record) {
        return record.step == position.step && record.final;
    });
    m_keeper.continueWith(std::move(listed), std::move(position.watched));
    return {};
}

void TrainingRun::continueAfter(std::span<const EvaluationRecord> evaluations,
                                std::span<const StepRecord> steps)
{
    // The run's own evaluations are those that its checkpoint had seen, or, where it says nothing (there is
    // none, or an older version wrote it), the first of every step: later ones were asked for by hand.
    const bool known = !m_keeper.watched().all.empty();
    std::set<std::int64_t> own;
    for (const auto& seen : m_keeper.watched().all)
        own.insert(seen.step);
    for (const auto& evaluation : evaluations) {
        if (evaluation.step > m_step)
            continue;
        if (known ? own.erase(evaluation.step) == 0 : !own.insert(evaluation.step).second)
            continue;
        if (!known)
            (void)m_keeper.evaluated(evaluation, isRegular(evaluation.step));
        ++m_context.evaluationsDone;
        m_context.evaluationLoss.push_back(evaluation.loss);
        m_evaluatedAt = evaluation.step;
    }
    m_stopReason = m_keeper.stopReason();
    for (const auto& step : steps)
        if (step.step <= m_step)
            m_context.recentSteps.push_back({step.loss, step.skipped});
}

bool TrainingRun::isRegular(std::int64_t step) const
{
    const auto every = m_parts.config.evaluation.everySteps;
    return step == 0 || step == m_plannedSteps || (every > 0 && step % every == 0);
}

bool TrainingRun::savesNow() const
{
    const auto every = m_parts.config.checkpoint.everySteps;
    if (m_savedAt == m_step || m_step == 0)
        return false;
    return (every > 0 && m_step % every == 0) || (m_evaluatedAt == m_step && m_keeper.wantsBestSaved());
}

Status TrainingRun::noteEvaluation(EvaluationRecord& record, const ScoredSide& scored)
{
    TRY_STATUS(m_keeper.evaluated(record, isRegular(m_step)));
    if (m_step >= m_plannedSteps)
        return {};
    m_stopReason = m_keeper.stopReason();
    if (m_stopReason && !m_context.finished) {
        m_context.finished = true;
        const auto seconds = record.seconds;
        record = judge(scored, m_parts.data, m_evaluation, m_context, m_verdict);
        record.step = m_step;
        record.seconds = seconds;
        m_log.event(m_step, EventLevel::Info, "stopped-early", "Stopped early: " + *m_stopReason);
    }
    return {};
}

Status TrainingRun::checkSaved(const std::filesystem::path& folder)
{
    // A save counts only when what it wrote scores the same: read it back and compare on a few rows.
    std::vector<const LaidOut*> rows;
    const auto& side = m_parts.data.evaluation;
    for (std::size_t i = 0; i < std::min(kProbeRows, side.kept.size()); ++i)
        rows.push_back(&side.rows[static_cast<std::size_t>(side.kept[i])]);
    const auto batch = collate(rows, m_evaluation.collate);
    const auto before = scoreBatch(*m_parts.model, nullptr, batch, m_evaluation.forward).scores;
    const auto parameters = m_parts.model->parameters();
    std::vector<at::Tensor> kept;
    for (const auto& parameter : parameters)
        kept.push_back(parameter.tensor.detach().clone());
    const auto loaded = readBack(folder, *m_parts.model);
    const auto after = scoreBatch(*m_parts.model, nullptr, batch, m_evaluation.forward).scores;
    const double difference = (after - before).abs().max().item<double>();
    if (loaded.ok() && difference == 0.0)
        return {};
    const at::NoGradGuard noGradients;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        parameters[i].tensor.copy_(kept[i]);
    if (!loaded)
        return loaded.error();
    return Error{ErrorCode::Io, fmt::format("the saved checkpoint scores differently, by {:.2e}", difference),
                 folder.string(), "Check the disk; the run goes on from memory"};
}

Status TrainingRun::save(bool final)
{
    report(Progress::Phase::Saving, 0.0, "Saving a checkpoint");
    CheckpointContent content;
    content.model = m_parts.model.get();
    content.optimiser = m_optimiser.get();
    content.tokenizer = m_parts.tokenizer.get();
    content.layout = m_parts.data.layout->options();
    content.position = {m_step,
                        m_plannedSteps,
                        m_log.run(),
                        m_parts.compute.dtype,
                        m_parts.compute.threads,
                        m_parts.compute.deviceId,
                        configToJson(m_parts.config),
                        m_keeper.watched(),
                        m_parts.tag && m_parts.tag->trained ? std::optional(m_parts.tag->id) : std::nullopt};
    m_log.flush();
    const auto folder = freeCheckpointFolder(m_parts.checkpoints, m_step);
    const std::string name = folder.filename().string();
    auto saved = saveCheckpoint(folder, content);
    const auto failed = [&](const Error& error) {
        m_log.event(m_step, EventLevel::Error, "checkpoint",
                    "No checkpoint, training goes on in memory: " + error.text());
        return Status{error};
    };
    if (!saved)
        return failed(saved.error());
    if (const auto status = checkSaved(folder); !status.ok()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
        return failed(status.error());
    }
    CheckpointRecord record;
    record.step = m_step;
    record.at = nowMilliseconds();
    record.bytes = saved->bytes;
    record.path = folder.lexically_relative(m_parts.artefacts).string();
    record.manifestHash = saved->manifestHash;
    record.final = final;
    const auto stored = m_log.checkpoint(record);
    if (!stored)
        return failed(stored.error());
    m_keeper.saved(*stored);
    m_savedAt = m_step;
    m_savedFinal = final;
    m_log.event(
        m_step, EventLevel::Info, "checkpoint",
        fmt::format("Checkpoint saved and reloaded: {}, {:.1f} MiB, probes rescored with difference 0", name,
                    static_cast<double>(saved->bytes) / (1024.0 * 1024.0)));
    m_keeper.tidy(m_log, m_parts.artefacts, m_step);
    return {};
}

} // namespace assay
