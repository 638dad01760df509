#include "core/run/training/prepare_run.h"

#include "core/config/task.h"

namespace assay {

Result<RunParts> prepareRun(const RunPlan& plan, const RowPreparation& rows, const RowGate& gate,
                            RunObserver& observer)
{
    RunParts parts;
    parts.config = plan.config;
    TRY(auto model, planModel(plan.building));
    model.use = plan.use;
    if (plan.from) {
        model.knownWeightsHash = plan.from->files.weightsHash;
        model.storedHeadKind = headKindOf(recordedConfig(*plan.from)); // what `auto` stood for
    }
    TRY(parts.compute, chooseCompute(plan.config.compute, model.config.decoder, plan.dtype));
    parts.tokenizer = model.tokenizer;
    TRY(parts.data, rows(model.tokenizer, model.limits(), [&observer](const std::string& text, double share) {
            Progress progress;
            progress.phase = share < 0.6 ? Progress::Phase::Loading : Progress::Phase::Checking;
            progress.share = share;
            progress.text = text;
            observer.progress(progress);
        }));
    parts.tag = model.tag;
    noteStepTag(parts.data.checks.report, model.tag);
    TRY_STATUS(gate(parts.data));
    TRY(auto built, buildModel(plan.building, std::move(model), parts.compute));
    parts.model = std::move(built.model);
    parts.ledger = std::move(built.ledger);
    parts.weightsHash = built.weightsHash;
    TRY(parts.objective, makeObjective(objectiveOf(plan.config),
                                       {plan.config.objective.wrongWeight, plan.config.objective.centring}));
    return parts;
}

Status hasEvaluationRows(const ExperimentConfig& config, const PreparedData& data)
{
    if (data.evaluation.kept.empty())
        return Error{ErrorCode::BadData, "no evaluation row has a label left",
                     config.data.evaluation.empty() ? config.data.train : config.data.evaluation,
                     "Check labels and maximum length: see the label checks"};
    return {};
}

} // namespace assay
