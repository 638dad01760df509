#pragma once

#include "core/run/session.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace assay::tests {

/// What a FakeSession does and was asked; shared by the sessions of one test, read from any thread.
struct FakeSessionState
{
    std::atomic<int> steps = 0; ///< optimiser steps of a run before it ends by itself
    std::atomic<int> stepMilliseconds = 0;
    std::atomic<int> probeMilliseconds = 0;
    std::atomic<bool> failTraining = false;
    std::atomic<int> trained = 0, evaluated = 0, probed = 0, measured = 0, probesCancelled = 0,
                     tokenViews = 0, tokenViewsInTraining = 0;
    std::atomic<bool> training = false;

    void setPreflight(Preflight preflight)
    {
        const std::lock_guard lock(mutex);
        answer = std::move(preflight);
    }
    Preflight preflight()
    {
        const std::lock_guard lock(mutex);
        return answer;
    }
    void setStepProbe(const StepProbe& probe)
    {
        const std::lock_guard lock(mutex);
        step = probe;
    }
    StepProbe stepProbe()
    {
        const std::lock_guard lock(mutex);
        return step;
    }
    void setTrainedConfig(const ExperimentConfig& config)
    {
        const std::lock_guard lock(mutex);
        lastConfig = config;
    }
    ExperimentConfig trainedConfig()
    {
        const std::lock_guard lock(mutex);
        return lastConfig;
    }

private:
    std::mutex mutex;
    Preflight answer;
    StepProbe step;
    ExperimentConfig lastConfig;
};

/// A session without tensors: its run counts steps, its probe gives what the test put there. The runs of a
/// test are 0123456789ab, 0123456789ac and so on.
class FakeSession : public Session
{
public:
    explicit FakeSession(std::shared_ptr<FakeSessionState> state)
        : m_state(std::move(state))
    {}

    Result<RunOutcome> train(const ExperimentConfig& config, RunObserver& observer,
                             std::stop_token stop) override
    {
        m_state->setTrainedConfig(config);
        ++m_state->trained;
        if (m_state->failTraining)
            return Error{ErrorCode::BadData, "the file is empty", "rows.jsonl", "Choose another file"};
        RunDetails details;
        details.summary.id = std::string("0123456789a") + static_cast<char>('a' + m_state->trained);
        details.summary.name = config.run.name;
        observer.runStarted(details);
        m_state->training = true;
        RunOutcome outcome;
        outcome.run = details.summary.id;
        for (int step = 1; step <= m_state->steps && !stop.stop_requested(); ++step) {
            std::this_thread::sleep_for(std::chrono::milliseconds(m_state->stepMilliseconds));
            StepRecord record;
            record.step = step;
            record.loss = 1.0 / step;
            observer.stepDone(record);
            Progress progress;
            progress.phase = Progress::Phase::Training;
            progress.step = step;
            observer.progress(progress);
            observer.boundary();
            outcome.step = step;
        }
        m_state->training = false;
        outcome.status = stop.stop_requested() ? RunStatus::Stopped : RunStatus::Finished;
        return outcome;
    }
    Result<RunOutcome> resume(const RunId& run, RunObserver&, std::stop_token) override
    {
        RunOutcome outcome;
        outcome.run = run;
        return outcome;
    }
    Result<EvaluationRecord> evaluate(const RunId&, std::int64_t, const std::string&, RunObserver& observer,
                                      std::stop_token) override
    {
        ++m_state->evaluated;
        EvaluationRecord record;
        record.step = 7;
        observer.evaluationDone(record);
        return record;
    }
    Result<Preflight> probe(const ExperimentConfig&, std::stop_token stop) override
    {
        ++m_state->probed;
        for (int waited = 0; waited < m_state->probeMilliseconds; waited += 5) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (stop.stop_requested()) {
                ++m_state->probesCancelled;
                return Error{ErrorCode::Cancelled, "cancelled"};
            }
        }
        return m_state->preflight();
    }
    Result<StepProbe> measure(const ExperimentConfig&, std::stop_token) override
    {
        ++m_state->measured;
        return m_state->stepProbe();
    }
    Result<TokenView> tokenView(const ExperimentConfig&, std::int64_t row) override
    {
        return view("row " + std::to_string(row));
    }
    Result<TokenView> tokenView(const RunId&, const std::string& exampleId) override
    {
        return view(exampleId);
    }
    Result<std::unique_ptr<Scorer>> open(const RunId&, std::int64_t) override
    {
        return Error{ErrorCode::NotFound, "there is no checkpoint"};
    }
    Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch&) override
    {
        return Error{ErrorCode::NotFound, "there is no such model", request.place};
    }
    Result<std::shared_ptr<ModelTrial>> tryModel(const ModelRequest& request) override
    {
        return Error{ErrorCode::NotFound, "there is no such model", request.place};
    }
    Result<Ledger> ledger(const RunId& run) override
    {
        return Error{ErrorCode::NotFound, "the run has no ledger", run};
    }
    Result<ExportReport> exportModel(const std::string& source, std::optional<std::int64_t>,
                                     const std::string&, const ExportOptions&, const ExportWatch&) override
    {
        return Error{ErrorCode::NotFound, "there is no checkpoint", source};
    }

private:
    TokenView view(const std::string& text)
    {
        ++m_state->tokenViews;
        if (m_state->training)
            ++m_state->tokenViewsInTraining;
        TokenView result;
        result.tokens.push_back({1, text, "step", 0, true, true, 1.0F});
        return result;
    }

    std::shared_ptr<FakeSessionState> m_state;
};

} // namespace assay::tests
