#include "app/json_values.h"

#include "core/diagnostics/verdict.h"

namespace assay {

namespace {

Json optional(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json verdictJson(const std::string& id, const std::string& badge, const std::string& sentence,
                 const std::string& evidence, const std::string& remedy,
                 const std::optional<double>& threshold)
{
    if (id.empty())
        return nullptr;
    return {{"id", id},
            {"badge", badge},
            {"sentence", sentence},
            {"evidence", evidence},
            {"remedy", remedy},
            {"suggested_threshold", optional(threshold)}};
}

const char* levelWord(EventLevel level)
{
    switch (level) {
    case EventLevel::Info:
        return "info";
    case EventLevel::Warning:
        return "warning";
    case EventLevel::Error:
        return "error";
    }
    return "info";
}

/// Text that is JSON already; null when it is not.
Json parsed(const std::string& text)
{
    auto json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? Json(nullptr) : json;
}

} // namespace

std::string_view severityWord(Severity severity)
{
    switch (severity) {
    case Severity::Note:
        return "note";
    case Severity::Warning:
        return "warning";
    case Severity::Red:
        return "red";
    }
    return "note";
}

Json toJson(const Metric& metric)
{
    Json json = {{"id", metric.id},
                 {"title", metric.title},
                 {"value", optional(metric.value)},
                 {"low", optional(metric.low)},
                 {"high", optional(metric.high)},
                 {"chance", optional(metric.chance)}};
    if (!metric.undefinedReason.empty())
        json["undefined_reason"] = metric.undefinedReason;
    return json;
}

Json toJson(const Finding& finding)
{
    return {{"id", finding.id},       {"severity", severityWord(finding.severity)},
            {"title", finding.title}, {"evidence", finding.evidence},
            {"cause", finding.cause}, {"remedy", finding.remedy},
            {"rows", finding.rows},   {"number", finding.number}};
}

Json toJson(const Report& report)
{
    Json json;
    json["metrics"] = toJsonList(report.metrics);
    json["findings"] = toJsonList(report.findings);
    json["tables"] = Json::array();
    for (const auto& table : report.tables)
        json["tables"].push_back(
            {{"id", table.id}, {"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    json["curves"] = Json::array();
    for (const auto& curve : report.curves)
        json["curves"].push_back({{"id", curve.id}, {"title", curve.title}, {"x", curve.x}, {"y", curve.y}});
    return json;
}

Json toJson(const RunSummary& run)
{
    Json json = {{"id", run.id},        {"name", run.name},         {"status", runStatusId(run.status)},
                 {"task", run.task},    {"backbone", run.backbone}, {"data", run.data},
                 {"device", run.device}};
    json["headline"] = nullptr;
    if (run.headline)
        json["headline"] = {{"id", run.headline->id},
                            {"title", run.headline->title},
                            {"value", run.headline->value},
                            {"low", optional(run.headline->low)},
                            {"high", optional(run.headline->high)},
                            {"baseline", optional(run.headline->baseline)}};
    json["verdict"] = verdictJson(run.verdictId, run.verdictBadge, run.verdictSentence, run.verdictEvidence,
                                  run.verdictRemedy, run.suggestedThreshold);
    json["created_at_ms"] = run.createdAt;
    json["started_at_ms"] = run.startedAt;
    json["ended_at_ms"] = run.endedAt;
    json["seconds"] = run.seconds;
    json["step"] = run.step;
    json["planned_steps"] = run.plannedSteps;
    json["tags"] = run.tags;
    json["note"] = run.note;
    json["archived"] = run.archived;
    json["deleted"] = run.deleted;
    json["parent"] = run.parent;
    json["error"] = run.errorText;
    json["host"] = run.host;
    json["process"] = run.process;
    return json;
}

Json toJson(const RunDetails& run)
{
    Json json = toJson(run.summary);
    json["config"] = parsed(run.configJson);
    json["train_fingerprint"] = run.trainFingerprint;
    json["evaluation_fingerprint"] = run.evaluationFingerprint;
    json["split_hash"] = run.splitHash;
    json["tokenizer_hash"] = run.tokenizerHash;
    json["weights_hash"] = run.weightsHash;
    json["head_hash"] = run.headHash;
    json["build_id"] = run.buildId;
    json["device_description"] = run.deviceDescription;
    json["dtype"] = run.dtype;
    json["threads"] = run.threads;
    json["train_examples"] = run.trainExamples;
    json["evaluation_examples"] = run.evaluationExamples;
    json["preflight"] = parsed(run.preflightJson);
    return json;
}

Json toJson(const EvaluationRecord& evaluation)
{
    Json json = {{"id", evaluation.id},
                 {"step", evaluation.step},
                 {"attempt", evaluation.attempt},
                 {"at_ms", evaluation.at},
                 {"seconds", evaluation.seconds},
                 {"loss", evaluation.loss},
                 {"examples", evaluation.examples},
                 {"read_outs", evaluation.readOuts},
                 {"threshold", evaluation.threshold}};
    json["verdict"] =
        verdictJson(evaluation.verdictId, evaluation.verdictBadge, evaluation.verdictSentence,
                    evaluation.verdictEvidence, evaluation.verdictRemedy, evaluation.suggestedThreshold);
    json["report"] = toJson(evaluation.report);
    return json;
}

Json toJson(const CheckpointRecord& checkpoint)
{
    return {{"id", checkpoint.id},      {"step", checkpoint.step},
            {"at_ms", checkpoint.at},   {"bytes", checkpoint.bytes},
            {"path", checkpoint.path},  {"manifest_sha256", checkpoint.manifestHash},
            {"final", checkpoint.final}};
}

Json toJson(const CheckpointList& list)
{
    Json rows = Json::array();
    for (const auto& row : list.rows) {
        Json json = toJson(row.record);
        json["newest"] = row.newest;
        json["best"] = row.best;
        json["metric"] = list.metricId;
        json["value"] = optional(row.value);
        rows.push_back(std::move(json));
    }
    return rows;
}

Json toJson(const EventRecord& event)
{
    return {{"id", event.id},     {"at_ms", event.at},
            {"step", event.step}, {"level", levelWord(event.level)},
            {"kind", event.kind}, {"text", event.text}};
}

Json toJson(const Ledger& ledger)
{
    Json json = Json::array();
    for (const auto& entry : ledger)
        json.push_back({{"tensor", entry.tensor}, {"action", entry.action}, {"detail", entry.detail}});
    return json;
}

Json toJson(const RunOutcome& outcome)
{
    Json json = {{"run", outcome.run},
                 {"status", runStatusId(outcome.status)},
                 {"step", outcome.step},
                 {"seconds", outcome.seconds},
                 {"reason", outcome.reason}};
    const auto& verdict = outcome.verdict;
    json["verdict"] = verdictJson(std::string(verdictId(verdict.kind)), verdict.badge(), verdict.sentence,
                                  verdict.evidence, verdict.remedy, verdict.suggestedThreshold);
    json["evaluation"] = outcome.lastEvaluation ? toJson(*outcome.lastEvaluation) : Json(nullptr);
    return json;
}

} // namespace assay
