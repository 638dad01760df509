#pragma once

#include "core/run/session.h"

namespace assay::tests {

/// A session for windows that never compute: every request is refused.
class IdleSession : public Session
{
public:
    Result<RunOutcome> train(const ExperimentConfig&, RunObserver&, std::stop_token) override
    {
        return refused();
    }
    Result<RunOutcome> resume(const RunId&, RunObserver&, std::stop_token) override { return refused(); }
    Result<EvaluationRecord> evaluate(const RunId&, std::int64_t, const std::string&, RunObserver&,
                                      std::stop_token) override
    {
        return refused();
    }
    Result<Preflight> probe(const ExperimentConfig&, std::stop_token) override { return refused(); }
    Result<StepProbe> measure(const ExperimentConfig&, std::stop_token) override { return refused(); }
    Result<TokenView> tokenView(const ExperimentConfig&, std::int64_t) override { return refused(); }
    Result<TokenView> tokenView(const RunId&, const std::string&) override { return refused(); }
    Result<std::unique_ptr<Scorer>> open(const RunId&, std::int64_t) override { return refused(); }
    Result<ModelReport> inspectModel(const ModelRequest&, const LoadWatch&) override { return refused(); }
    Result<std::shared_ptr<ModelTrial>> tryModel(const ModelRequest&) override { return refused(); }
    Result<Ledger> ledger(const RunId&) override { return refused(); }
    Result<ExportReport> exportModel(const std::string&, std::optional<std::int64_t>, const std::string&,
                                     const ExportOptions&, const ExportWatch&) override
    {
        return refused();
    }

private:
    static Error refused() { return {ErrorCode::Unsupported, "this session computes nothing"}; }
};

} // namespace assay::tests
