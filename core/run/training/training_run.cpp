#include "core/run/training/training_run.h"

#include "core/config/json.h"
#include "core/run/step_batches.h"
#include "core/train/schedule.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace assay {

namespace {

/// A run whose gradients stay non-finite has diverged; more steps only burn time.
constexpr int kMostNonFiniteSteps = 5;

/// The figures that an evaluation is known by.
std::string headlineText(const Report& report)
{
    std::string text;
    const auto add = [&](const char* word, const char* id) {
        const auto* metric = report.metric(id);
        if (!metric)
            return;
        text += fmt::format("{}{} ", text.empty() ? "" : ", ", word);
        if (!metric->value)
            text += "undefined";
        else if (metric->low && metric->high)
            text += fmt::format("{:.3f} [{:.3f}, {:.3f}]", *metric->value, *metric->low, *metric->high);
        else
            text += fmt::format("{:.3f}", *metric->value);
    };
    add("AUROC", "auroc");
    add("balanced accuracy", "balanced_accuracy");
    add("pair accuracy", "pair_accuracy");
    if (report.metric("pair_accuracy"))
        add("tie rate", "tie_rate");
    return text;
}

} // namespace

TrainingRun::TrainingRun(RunParts parts, RunLog& log, std::stop_token stop)
    : m_parts(std::move(parts))
    , m_log(log)
    , m_stop(std::move(stop))
    , m_communicator(singleRank())
    , m_plan(batchPlanOf(m_parts.config, m_parts.data.train))
    , m_keeper(m_parts.config)
{
    const auto& config = m_parts.config;
    m_plannedSteps = plannedStepsOf(config, m_parts.data.train);
    m_optimiser = std::make_unique<AdamW>(m_parts.model->trainable(), config.optimiser);
    m_trainer = std::make_unique<Trainer>(*m_parts.model, *m_parts.objective, *m_optimiser, *m_communicator,
                                          trainerOptions(config, m_parts.compute));
    m_evaluation = evaluationSettings(config, m_parts.compute, m_parts.model->backbone());
}

TrainingRun::StepBatches TrainingRun::collateStep(std::int64_t step) const
{
    return {assay::collateStep(m_plan.step(step), static_cast<std::size_t>(m_communicator->rank()),
                               m_parts.data.train,
                               collateOptions(m_parts.config, m_parts.compute, m_parts.model->backbone()))};
}

void TrainingRun::report(Progress::Phase phase, double share, const std::string& text)
{
    Progress progress;
    progress.phase = phase;
    progress.step = m_step;
    progress.plannedSteps = m_plannedSteps;
    progress.share = share;
    progress.elapsedSeconds = activeSeconds();
    if (m_stepSeconds > 0.0)
        progress.remainingSeconds = m_stepSeconds * static_cast<double>(m_plannedSteps - m_step);
    progress.tokensPerSecond = m_tokensPerSecond;
    progress.text = text;
    m_log.observer().progress(progress);
}

void TrainingRun::take(Control control)
{
    switch (control) {
    case Control::Pause:
        if (m_paused)
            break;
        m_paused = true;
        (void)m_log.writer().setStatus(m_log.run(), RunStatus::Paused);
        m_log.event(m_step, EventLevel::Info, "paused", "Paused");
        report(Progress::Phase::Paused, 0.0, "Paused");
        break;
    case Control::Resume:
        if (!m_paused)
            break;
        m_paused = false;
        (void)m_log.writer().setStatus(m_log.run(), RunStatus::Running);
        m_log.event(m_step, EventLevel::Info, "resumed", "Resumed");
        break;
    case Control::Stop:
        m_stopAsked = true;
        break;
    case Control::EvaluateNow:
        // Asked for twice, or of weights that have been evaluated: there would be nothing new to show.
        if (m_evaluating)
            m_log.event(m_step, EventLevel::Info, "evaluation",
                        fmt::format("Asked to evaluate: step {} is being evaluated now", m_step));
        else if (m_evaluatedAt == m_step)
            m_log.event(m_step, EventLevel::Info, "evaluation",
                        fmt::format("Asked to evaluate: step {} is already evaluated", m_step));
        else
            m_evaluateNow = true;
        break;
    }
}

TrainingRun::Next TrainingRun::controls()
{
    for (;;) {
        const bool wasPaused = m_paused;
        const Stopwatch waited;
        if (m_stop.stop_requested())
            m_stopAsked = true;
        if (const auto controls = m_log.writer().takeControls(m_log.run()); controls.ok())
            for (const auto control : *controls)
                take(control);
        (void)m_log.writer().heartbeat(m_log.run(), m_step, activeSeconds());
        if (m_shortJobs)
            m_shortJobs();
        const bool waits = m_paused && !m_stopAsked;
        if (waits)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (wasPaused || waits)
            m_pausedSeconds += waited.seconds();
        if (m_stopAsked)
            return Next::Stop;
        if (!waits)
            return Next::Go;
    }
}

void TrainingRun::noteNonFinite(const TrainStep& step, const StepBatches& batches)
{
    std::string rows;
    int listed = 0;
    for (const auto& batch : batches.batches)
        for (const auto example : batch.examples)
            if (++listed <= 8)
                rows += fmt::format("{}{}", rows.empty() ? "" : ", ", example);
    m_log.event(m_step + 1, EventLevel::Error, "non-finite",
                fmt::format("Non-finite {}: optimiser step skipped, weights unchanged; batch rows {}",
                            step.nonFiniteTensor == "loss" ? "loss" : "gradient in " + step.nonFiniteTensor,
                            rows));
}

Result<TrainStep> TrainingRun::oneStep(StepBatches& batches, double waitSeconds)
{
    const Stopwatch watch;
    const double rate = m_parts.config.optimiser.learningRate *
                        scheduleFactor(m_parts.config.schedule, m_step, m_plannedSteps);
    auto taken = m_trainer->step(batches.batches, m_step, rate, [this] { return controls() == Next::Go; });
    if (!taken)
        return taken;
    StepRecord record;
    record.step = m_step + 1;
    record.loss = taken->loss;
    record.gradientNorm = taken->gradientNorm;
    record.learningRate = rate;
    record.clipped = taken->clipped;
    record.skipped = taken->skipped;
    record.dataWaitSeconds = waitSeconds;
    for (const auto& batch : batches.batches) {
        record.tokens += batch.tokens;
        record.computedTokens += batch.computedTokens;
        record.examples += static_cast<std::int64_t>(batch.examples.size());
        record.readOuts += batch.supervised;
    }
    record.seconds = watch.seconds() + waitSeconds;
    m_stepSeconds = m_stepSeconds > 0.0 ? 0.95 * m_stepSeconds + 0.05 * record.seconds : record.seconds;
    m_tokensPerSecond = static_cast<double>(record.tokens) / std::max(1e-9, record.seconds);
    if (taken->skipped) {
        noteNonFinite(*taken, batches);
        ++m_nonFiniteInARow;
    } else {
        m_nonFiniteInARow = 0;
    }
    m_log.step(record);
    ++m_step;
    auto& recent = m_context.recentSteps;
    recent.push_back({taken->loss, taken->skipped});
    if (static_cast<std::int64_t>(recent.size()) > kRecentSteps)
        recent.erase(recent.begin());
    return taken;
}

bool TrainingRun::needsEvaluation() const
{
    if (m_evaluatedAt == m_step)
        return false;
    const auto every = m_parts.config.evaluation.everySteps;
    return m_evaluateNow || (every > 0 && m_step > 0 && m_step % every == 0) || m_step == m_plannedSteps ||
           (m_step == 0 && m_parts.config.evaluation.beforeStart);
}

void TrainingRun::noteGivenUp(double share)
{
    const bool again = isRegular(m_step) && (m_step > 0 || m_parts.config.evaluation.beforeStart);
    m_log.event(m_step, EventLevel::Warning, "evaluation",
                fmt::format("The evaluation of step {} was given up at {:.0f} %: stopped. {}", m_step,
                            100.0 * share,
                            again ? "A resume does it again"
                                  : "It was asked for by hand, so a resume does not do it again"));
}

Status TrainingRun::evaluate()
{
    const double begun = activeSeconds();
    double share = 0.0;
    m_evaluating = true;
    const auto scored =
        scoreSide(*m_parts.model, *m_parts.objective, m_parts.data.evaluation, m_evaluation,
                  [&](const EvaluationProgress& done) {
                      share = done.share();
                      report(Progress::Phase::Evaluating, share, done.text(m_evaluation.task));
                      return controls() == Next::Go;
                  });
    m_evaluating = false;
    if (!scored) {
        if (scored.error().code == ErrorCode::Cancelled)
            noteGivenUp(share);
        return scored.error();
    }
    ++m_context.evaluationsDone;
    m_context.trainedShare =
        m_plannedSteps > 0 ? static_cast<double>(m_step) / static_cast<double>(m_plannedSteps) : 1.0;
    m_context.finished = m_step == m_plannedSteps;
    const auto before = m_verdict;
    auto record = judge(*scored, m_parts.data, m_evaluation, m_context, m_verdict);
    record.step = m_step;
    record.seconds = activeSeconds() - begun;
    TRY_STATUS(noteEvaluation(record, *scored));
    m_context.evaluationLoss.push_back(record.loss);
    const auto predictions = storedPredictions(scored->set);
    const auto stored = m_log.evaluation(record, predictions);
    m_log.event(
        m_step, EventLevel::Info, "evaluation",
        fmt::format("Evaluation finished in {:.1f} s: {}", record.seconds, headlineText(record.report)));
    if (before.badge() != m_verdict.badge())
        m_log.event(m_step,
                    m_verdict.kind == VerdictKind::Learning || m_verdict.kind == VerdictKind::TooEarly
                        ? EventLevel::Info
                        : EventLevel::Warning,
                    "verdict",
                    before.kind == VerdictKind::None ? fmt::format("Verdict: {}", m_verdict.badge())
                                                     : fmt::format("Verdict changed from \"{}\" to \"{}\"",
                                                                   before.badge(), m_verdict.badge()));
    m_lastEvaluation = std::move(record);
    m_evaluatedAt = m_step;
    m_evaluateNow = false;
    (void)stored; // told to the observer; training goes on
    return {};
}

Result<RunOutcome> TrainingRun::run(const std::function<void()>& shortJobs)
{
    m_shortJobs = shortJobs;
    m_clock.restart();
    Prefetch<StepBatches> prefetch(static_cast<std::size_t>(m_parts.config.compute.prefetch),
                                   [this, first = m_step](std::int64_t index) -> std::optional<StepBatches> {
                                       if (first + index >= m_plannedSteps)
                                           return std::nullopt;
                                       return collateStep(first + index);
                                   });
    while (controls() == Next::Go) {
        if (needsEvaluation()) {
            const auto evaluated = evaluate();
            if (!evaluated.ok() && evaluated.error().code == ErrorCode::Cancelled)
                break;
            TRY_STATUS(evaluated);
        }
        if (isComplete())
            break;
        if (savesNow())
            (void)save(false);
        const Stopwatch wait;
        auto batches = prefetch.next();
        const double waitSeconds = wait.seconds();
        const auto taken = oneStep(*batches, waitSeconds);
        if (!taken && taken.error().code == ErrorCode::Cancelled)
            break;
        if (!taken)
            return taken.error();
        report(Progress::Phase::Training, static_cast<double>(m_step) / static_cast<double>(m_plannedSteps));
        if (m_nonFiniteInARow >= kMostNonFiniteSteps) {
            if (const auto last = evaluate(); !last.ok() && last.error().code != ErrorCode::Cancelled)
                return last.error();
            return Error{ErrorCode::Numeric,
                         fmt::format("{} optimiser steps in a row were not finite", m_nonFiniteInARow),
                         fmt::format("step {}", m_step),
                         "Resume from an earlier checkpoint with a lower learning rate"};
        }
    }
    return end();
}

Result<RunOutcome> TrainingRun::end()
{
    RunOutcome outcome;
    outcome.status = isFinished() ? RunStatus::Finished : RunStatus::Stopped;
    outcome.reason = m_stopReason.value_or("");
    const bool final = outcome.status == RunStatus::Finished;
    // A checkpoint that a stop saved before the last evaluation knows nothing of it and is not marked final.
    Status saved;
    if (m_savedAt != m_step || (final && !m_savedFinal))
        saved = save(final);
    m_log.flush();
    outcome.run = m_log.run();
    outcome.step = m_step;
    outcome.seconds = activeSeconds();
    outcome.verdict = m_verdict;
    outcome.lastEvaluation = m_lastEvaluation;
    if (!saved.ok())
        return saved.error();
    report(Progress::Phase::Done, 1.0);
    return outcome;
}

} // namespace assay
