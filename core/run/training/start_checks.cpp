#include "core/run/training/start_checks.h"

#include "core/base/build_id.h"

#include <fmt/format.h>

namespace assay {

Status mayStart(const ExperimentConfig& config, const Preflight& preflight)
{
    const auto* red = preflight.report.firstRed();
    if (red && config.run.overrideReason.empty())
        return Error{ErrorCode::Blocked, fmt::format("a label check blocks the start: {}", red->title),
                     red->evidence,
                     "Mend the data, or give run.override_reason; the reason is recorded with the run"};
    if (preflight.trainExamples == 0 || preflight.evaluationExamples == 0)
        return Error{ErrorCode::Blocked,
                     fmt::format("no {} row has a label left",
                                 preflight.trainExamples == 0 ? "training" : "evaluation"),
                     preflight.trainExamples == 0 || config.data.evaluation.empty() ? config.data.train
                                                                                    : config.data.evaluation,
                     "Check labels and maximum length: see the label checks. No reason overrides this"};
    return {};
}

Status sameAsRecorded(const RunDetails& details, const RunParts& parts, bool fromStart)
{
    const auto& config = parts.config;
    const auto changed = [](ErrorCode code, const char* what, const std::string& where) {
        return Error{code, fmt::format("{} changed since this run began", what), where,
                     "Bring it back as it was, or start a new run on the new one"};
    };
    if (parts.data.train.dataset->fingerprint() != details.trainFingerprint)
        return changed(ErrorCode::BadData, "the training file has", config.data.train);
    if (parts.data.evaluation.dataset->fingerprint() != details.evaluationFingerprint)
        return changed(ErrorCode::BadData, "the evaluation file has",
                       config.data.evaluation.empty() ? config.data.train : config.data.evaluation);
    const std::string tokenizer = parts.tokenizer ? parts.tokenizer->fingerprint() : std::string();
    if (!details.tokenizerHash.empty() && tokenizer != details.tokenizerHash)
        return changed(ErrorCode::BadModel, "the tokenizer has",
                       config.backbone.tokenizer.empty() ? config.backbone.folder
                                                         : config.backbone.tokenizer);
    // A checkpoint is checked by its manifest; what the run began with matters only where there is none.
    if (fromStart && parts.weightsHash != details.weightsHash)
        return changed(ErrorCode::BadModel, "the weights of the backbone have", config.backbone.folder);
    if (fromStart && parts.model->headHash() != details.headHash)
        return changed(ErrorCode::BadModel, "the weights of the head have", config.head.initialWeights);
    return {};
}

std::string bitsMayDiffer(const RunDetails& details, const RunParts& parts)
{
    std::string why;
    const auto add = [&why](const std::string& reason) { why += (why.empty() ? "" : ", ") + reason; };
    if (parts.compute.threads != details.threads)
        add(fmt::format("threads {} instead of {}", parts.compute.threads, details.threads));
    if (parts.compute.deviceId != details.summary.device)
        add(fmt::format("{} instead of {}", parts.compute.deviceId, details.summary.device));
    if (buildId() != details.buildId)
        add(fmt::format("build {} instead of {}", buildId(), details.buildId));
    return why.empty() ? why
                       : fmt::format("The rest may differ in the last bits from an unbroken run: {}", why);
}

} // namespace assay
