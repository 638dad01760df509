#include "core/run/preflight/step_probe.h"

#include "core/config/task.h"
#include "core/data/views.h"
#include "core/run/build_model.h"
#include "core/run/evaluation.h"
#include "core/run/preflight/memory_meter.h"
#include "core/run/preflight/model_memory.h"
#include "core/run/step_batches.h"
#include "core/run/training/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace assay {

namespace {

constexpr std::int64_t kTimedSteps = 3;
constexpr double kTimedSeconds = 4.0; ///< no further step is timed after this
constexpr double kSafety = 1.1;       ///< room for what does not grow with the rows

Error cancelled()
{
    return Error{ErrorCode::Cancelled, "the measurement was stopped"};
}

std::int64_t bytesOf(const Parameters& parameters)
{
    return std::accumulate(parameters.begin(), parameters.end(), std::int64_t{0},
                           [](std::int64_t sum, const Parameter& p) {
                               return sum + static_cast<std::int64_t>(p.tensor.nbytes());
                           });
}

std::int64_t countOf(const Parameters& parameters)
{
    return std::accumulate(parameters.begin(), parameters.end(), std::int64_t{0},
                           [](std::int64_t sum, const Parameter& p) { return sum + p.tensor.numel(); });
}

/// The longest evaluation rows that come together in one batch, as a side of their own.
PreparedSide longestEvaluationRows(const PreparedSide& side, std::int64_t batchTokens)
{
    auto order = side.kept;
    const auto tokensOf = [&side](std::int64_t row) {
        return side.rows[static_cast<std::size_t>(row)].tokens();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return tokensOf(a) > tokensOf(b); });
    PreparedSide sample;
    std::vector<std::int64_t> rows;
    for (const auto row : order) {
        if (!rows.empty() && sample.tokens + tokensOf(row) > batchTokens)
            break;
        sample.kept.push_back(static_cast<std::int64_t>(rows.size()));
        sample.rows.push_back(side.rows[static_cast<std::size_t>(row)]);
        sample.tokens += tokensOf(row);
        rows.push_back(row);
    }
    sample.dataset = subset(side.dataset, std::move(rows));
    return sample;
}

/// A throw-away model with its optimiser, and what steps on it take.
class Rehearsal
{
public:
    Rehearsal(const ExperimentConfig& config, const PreparedData& data, const ComputeChoice& compute,
              const std::stop_token& stop)
        : m_config(config)
        , m_data(data)
        , m_compute(compute)
        , m_stop(stop)
        , m_meter(compute.device)
        , m_communicator(singleRank())
    {}

    Result<StepProbe> run(ModelPlan plan)
    {
        const auto memory = deviceMemory(m_compute.device);
        m_probe.availableBytes = memory.available;
        m_probe.totalBytes = memory.total;
        m_probe.device = m_compute.deviceDescription;
        m_probe.dtype = m_compute.dtype;
        TRY_STATUS(build(std::move(plan)));
        TRY_STATUS(measureMemory());
        TRY_STATUS(timeSteps());
        TRY_STATUS(timeEvaluation());
        extrapolate(m_probe, m_config.evaluation);
        return m_probe;
    }

private:
    Status build(ModelPlan plan)
    {
        TRY(auto built, buildModel(m_config, std::move(plan), m_compute));
        if (m_stop.stop_requested())
            return cancelled();
        m_model = std::move(built.model);
        TRY(m_objective, makeObjective(objectiveOf(m_config),
                                       {m_config.objective.wrongWeight, m_config.objective.centring}));
        const auto trainable = m_model->trainable();
        m_probe.parameters = countOf(m_model->parameters());
        m_probe.trainedParameters = countOf(trainable);
        m_probe.weightBytes = bytesOf(m_model->parameters());
        m_probe.gradientBytes = bytesOf(trainable);
        m_probe.optimiserBytes = 2 * bytesOf(trainable); // two moments
        if (m_probe.availableBytes > 0 && fixedBytes() > m_probe.availableBytes)
            return Error{ErrorCode::OutOfMemory,
                         fmt::format("weights, gradients and moments alone need {}; {} are free",
                                     gibibytes(fixedBytes()), gibibytes(m_probe.availableBytes)),
                         m_probe.device, "Choose a smaller backbone, or freeze it"};
        m_optimiser = std::make_unique<AdamW>(trainable, m_config.optimiser);
        m_trainer = std::make_unique<Trainer>(*m_model, *m_objective, *m_optimiser, *m_communicator,
                                              trainerOptions(m_config, m_compute));
        return {};
    }

    std::int64_t fixedBytes() const
    {
        return m_probe.weightBytes + m_probe.gradientBytes + m_probe.optimiserBytes;
    }

    /// Seconds of one step with a rate of 0: everything is computed, no weight moves.
    Result<double> step(std::vector<MicroBatch> batches)
    {
        const Stopwatch watch;
        TRY(const auto taken,
            m_trainer->step(batches, m_steps++, 0.0, [this] { return !m_stop.stop_requested(); }));
        (void)taken;
        return watch.seconds();
    }

    /// What a step on these rows holds besides weights, gradients and moments. The rows are taken twice, as
    /// two micro-batches of one step: during the first there are no gradients yet, and a small batch would
    /// hide behind what the optimiser holds when its activations are gone.
    Result<std::int64_t> activations(std::span<const std::int64_t> kept)
    {
        m_optimiser->zeroGradients();
        const auto before = m_meter.currentBytes();
        m_meter.resetPeak();
        std::vector<MicroBatch> batches;
        for (int pass = 0; pass < 2; ++pass)
            batches.push_back(
                collateKept(m_data.train, kept, collateOptions(m_config, m_compute, m_model->backbone())));
        m_probe.worstExamples = static_cast<std::int64_t>(kept.size());
        m_probe.worstTokens = batches.front().computedTokens;
        TRY(const auto seconds, step(std::move(batches)));
        (void)seconds;
        return std::max<std::int64_t>(0, m_meter.peakBytes() - before - m_probe.gradientBytes);
    }

    /// One row first: a batch that would not fit is not tried, for the system would end the whole program.
    Status measureMemory()
    {
        const auto longest = longestMicroBatch(m_config, m_data.train);
        const auto rows = static_cast<std::int64_t>(longest.size());
        TRY(m_probe.activationBytes, activations(std::span(longest).first(1)));
        const auto expected =
            fixedBytes() + static_cast<std::int64_t>(kSafety * static_cast<double>(m_probe.activationBytes) *
                                                     static_cast<double>(rows));
        if (m_probe.availableBytes > 0 && expected > m_probe.availableBytes) {
            m_probe.worstTokens *= rows;
            m_probe.worstExamples = rows;
            m_probe.activationBytes *= rows;
            m_probe.method = "The longest micro-batch was not tried, because it would not fit: its memory is "
                             "that of its longest row, times its rows. ";
        } else if (rows > 1) {
            TRY(m_probe.activationBytes, activations(longest));
        }
        m_probe.peakBytes = fixedBytes() + m_probe.activationBytes;
        return {};
    }

    Status timeSteps()
    {
        const auto& train = m_data.train;
        m_probe.plannedSteps = plannedStepsOf(m_config, train);
        const auto plan = batchPlanOf(m_config, train);
        double seconds = 0.0;
        std::int64_t tokens = 0;
        for (std::int64_t i = 0; i < std::min(kTimedSteps, m_probe.plannedSteps); ++i) {
            if (i > 0 && seconds > kTimedSeconds)
                break;
            auto batches =
                collateStep(plan.step(i), 0, train, collateOptions(m_config, m_compute, m_model->backbone()));
            for (const auto& batch : batches)
                tokens += batch.tokens;
            TRY(const auto one, step(std::move(batches)));
            seconds += one;
            ++m_probe.timedSteps;
        }
        // A few steps may have short rows: time goes with the tokens.
        const double perStep =
            m_config.run.overfitOneBatch
                ? static_cast<double>(tokens) / static_cast<double>(m_probe.timedSteps)
                : static_cast<double>(train.tokens) / static_cast<double>(plan.stepsInEpoch(0));
        m_probe.stepSeconds = seconds * perStep / static_cast<double>(std::max<std::int64_t>(1, tokens));
        m_probe.method +=
            fmt::format("Memory: tensors at the peak of two micro-batches of the {} longest rows in one "
                        "optimiser step, or of the "
                        "longest evaluation batch if that holds more. Time: {} "
                        "steps of the run's own plan, scaled to its mean of {:.0f} tokens a step",
                        m_probe.worstExamples, m_probe.timedSteps, perStep);
        return {};
    }

    Status timeEvaluation()
    {
        const auto settings = evaluationSettings(m_config, m_compute, m_model->backbone());
        const auto& side = m_data.evaluation;
        const auto sample = longestEvaluationRows(side, settings.batchTokens);
        m_optimiser->zeroGradients();
        const auto before = m_meter.currentBytes();
        m_meter.resetPeak();
        const Stopwatch watch;
        TRY(const auto scored,
            scoreSide(*m_model, *m_objective, sample, settings,
                      [this](const EvaluationProgress&) { return !m_stop.stop_requested(); }));
        const double scoring = watch.seconds();
        m_probe.peakBytes =
            std::max(m_probe.peakBytes, m_probe.weightBytes + m_probe.optimiserBytes +
                                            std::max<std::int64_t>(0, m_meter.peakBytes() - before));
        Verdict verdict;
        const Stopwatch judging;
        (void)judge(scored, m_data, settings, VerdictContext{}, verdict);
        m_probe.evaluationSeconds = scoring * static_cast<double>(side.tokens) /
                                        static_cast<double>(std::max<std::int64_t>(1, sample.tokens)) +
                                    judging.seconds() * static_cast<double>(side.kept.size()) /
                                        static_cast<double>(std::max<std::size_t>(1, sample.kept.size()));
        m_probe.method += fmt::format(", and the {} longest evaluation rows, scaled to all {}. Checkpoints "
                                      "are not counted.",
                                      sample.kept.size(), side.kept.size());
        return {};
    }

    const ExperimentConfig& m_config;
    const PreparedData& m_data;
    const ComputeChoice& m_compute;
    const std::stop_token& m_stop;
    MemoryMeter m_meter; // first of what computes: tensors must be gone before it
    std::unique_ptr<Communicator> m_communicator;
    std::unique_ptr<RewardModel> m_model;
    std::unique_ptr<Objective> m_objective;
    std::unique_ptr<AdamW> m_optimiser;
    std::unique_ptr<Trainer> m_trainer;
    StepProbe m_probe;
    std::int64_t m_steps = 0;
};

} // namespace

std::int64_t plannedEvaluations(const EvaluationConfig& config, std::int64_t plannedSteps)
{
    std::int64_t evaluations = config.beforeStart ? 1 : 0;
    if (plannedSteps <= 0)
        return evaluations;
    const auto inside = config.everySteps > 0 ? (plannedSteps - 1) / config.everySteps : 0;
    return evaluations + inside + 1; // the last one is always there
}

void extrapolate(StepProbe& probe, const EvaluationConfig& evaluation)
{
    probe.plannedEvaluations = plannedEvaluations(evaluation, probe.plannedSteps);
    probe.totalSeconds = static_cast<double>(probe.plannedSteps) * probe.stepSeconds +
                         static_cast<double>(probe.plannedEvaluations) * probe.evaluationSeconds;
    const auto fixed = probe.weightBytes + probe.gradientBytes + probe.optimiserBytes;
    if (probe.availableBytes > 0 && probe.activationBytes > 0 && probe.worstExamples > 0) {
        const double perExample =
            static_cast<double>(probe.activationBytes) / static_cast<double>(probe.worstExamples);
        probe.largestExamples = static_cast<std::int64_t>(
            std::max(0.0, static_cast<double>(probe.availableBytes - fixed)) / (kSafety * perExample));
    }
}

Result<StepProbe> measureStep(const ExperimentConfig& config, const PreparedData& data,
                              const std::stop_token& stop)
{
    if (data.train.kept.empty() || data.evaluation.kept.empty())
        return Error{ErrorCode::BadData, "there is no row to take a step on", config.data.train,
                     "See the label checks"};
    TRY(auto plan, planModel(config));
    TRY(const auto compute, chooseCompute(config.compute, plan.config.decoder));
    if (stop.stop_requested())
        return cancelled();
    return Rehearsal(config, data, compute, stop).run(std::move(plan));
}

} // namespace assay
