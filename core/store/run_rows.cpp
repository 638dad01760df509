#include "core/store/run_rows.h"

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/store/series_rows.h"

namespace assay {

namespace {

std::int64_t insertConfig(Database& database, const std::string& json)
{
    const std::string hash = sha256Hex(json);
    database.run("INSERT OR IGNORE INTO configs (hash, json) VALUES (?, ?)", hash, json);
    return database.integer("SELECT number FROM configs WHERE hash = ?", hash);
}

/// Empty when the run names no ids.
std::optional<std::int64_t> insertSplit(Database& database, const NewRun& run)
{
    if (run.trainIds.empty() && run.evaluationIds.empty())
        return std::nullopt;
    Sha256 sum;
    for (const auto& id : run.trainIds)
        sum.addField(id);
    sum.addField("evaluation");
    for (const auto& id : run.evaluationIds)
        sum.addField(id);
    const std::string hash = sum.hex();
    if (const auto known = database.integer("SELECT number FROM splits WHERE hash = ?", hash))
        return known;
    database.run("INSERT INTO splits (hash) VALUES (?)", hash);
    const std::int64_t split = database.lastInsertId();
    Statement statement =
        database.prepare("INSERT INTO split_ids (split, side, ordinal, example) VALUES (?, ?, ?, ?)");
    for (const auto& [side, ids] :
         {std::pair("train", &run.trainIds), std::pair("evaluation", &run.evaluationIds)}) {
        std::int64_t ordinal = 0;
        for (const auto& id : *ids)
            statement.bind(split).bind(side).bind(ordinal++).bind(id).run();
    }
    return split;
}

void insertAttemptRow(Database& database, std::int64_t run, std::int64_t attempt, std::int64_t fromStep,
                      const ProcessIdentity& owner)
{
    database.run(
        "INSERT INTO attempts (run, attempt, from_step, started_ms, host, boot_id, process, process_start) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        run, attempt, fromStep, nowMilliseconds(), owner.host, owner.bootId, owner.process, owner.start);
}

std::vector<std::string> splitTags(const std::string& joined)
{
    std::vector<std::string> tags;
    for (std::size_t begin = 0; begin < joined.size();) {
        const std::size_t end = std::min(joined.find('\x1f', begin), joined.size());
        tags.push_back(joined.substr(begin, end - begin));
        begin = end + 1;
    }
    return tags;
}

} // namespace

std::int64_t runNumber(Database& database, const RunId& id)
{
    const std::int64_t number = database.integer("SELECT number FROM runs WHERE id = ?", id);
    if (number == 0)
        throw StoreFailure(
            {ErrorCode::NotFound, "there is no such run in the store", id, "assay runs lists them"});
    return number;
}

std::int64_t insertRun(Database& database, const RunId& id, const NewRun& run, const ProcessIdentity& owner)
{
    const std::int64_t now = nowMilliseconds();
    database.run("INSERT INTO runs (id, name, task, status, backbone, data, device, created_ms, started_ms, "
                 "planned_steps, "
                 "parent, host, boot_id, process, process_start, heartbeat_ms) "
                 "VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 id, run.name, run.task, run.backbone, run.data, run.device, now, now, run.plannedSteps,
                 run.parent, owner.host, owner.bootId, owner.process, owner.start, now);
    const std::int64_t number = database.lastInsertId();
    for (const auto& tag : run.tags)
        database.run("INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)", number, tag);
    insertAttemptRow(database, number, 1, 0, owner);
    const std::int64_t config = insertConfig(database, run.configJson);
    const auto split = insertSplit(database, run);
    database.run(
        "INSERT INTO run_inputs (run, config, split, train_fingerprint, evaluation_fingerprint, split_hash, "
        "tokenizer_hash, weights_hash, head_hash, build_id, device_description, dtype, threads, "
        "train_examples, "
        "evaluation_examples, preflight_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number, config, split, run.trainFingerprint, run.evaluationFingerprint, run.splitHash,
        run.tokenizerHash, run.weightsHash, run.headHash, run.buildId, run.deviceDescription, run.dtype,
        run.threads, static_cast<std::int64_t>(run.trainIds.size()),
        static_cast<std::int64_t>(run.evaluationIds.size()), run.preflightJson);
    if (!run.preflightJson.empty())
        if (const auto report = reportFromJson(run.preflightJson); report.ok())
            insertFindings(database, number, 0, *report);
    return number;
}

std::int64_t insertAttempt(Database& database, std::int64_t run, std::int64_t fromStep,
                           const ProcessIdentity& owner)
{
    ProcessIdentity last;
    std::string status;
    std::int64_t attempt = 0;
    bool gone = false;
    {
        Statement statement = database.prepare("SELECT status, attempt, host, boot_id, process, "
                                               "process_start, heartbeat_ms FROM runs WHERE number = ?");
        statement.bind(run).step();
        status = statement.text(0);
        attempt = statement.integer(1);
        last = {statement.text(2), statement.text(3), statement.integer(4), statement.integer(5)};
        gone = isGone(last, statement.integer(6));
    }
    const bool open = status == "running" || status == "paused";
    if (open && last != owner && !gone)
        throw StoreFailure({ErrorCode::Store,
                            "the run is still running in process " + std::to_string(last.process), last.host,
                            "Stop it first"});
    // What is left of earlier attempts never grows again: into blocks with it.
    while (looseSteps(database, run, attempt) > 0)
        sealSteps(database, run, attempt);
    ++attempt;
    insertAttemptRow(database, run, attempt, fromStep, owner);
    database.run(
        "UPDATE runs SET status = 'running', attempt = ?, step = ?, ended_ms = 0, error_text = '', host = ?, "
        "boot_id = ?, process = ?, process_start = ?, heartbeat_ms = ? WHERE number = ?",
        attempt, fromStep, owner.host, owner.bootId, owner.process, owner.start, nowMilliseconds(), run);
    return attempt;
}

std::string_view summaryColumns()
{
    return "r.id, r.name, r.status, r.task, r.backbone, r.data, r.device, r.headline_id, r.headline_title, "
           "r.headline_value, r.headline_low, r.headline_high, r.headline_baseline, r.verdict_id, "
           "r.verdict_badge, "
           "r.verdict_sentence, r.verdict_evidence, r.verdict_remedy, r.suggested_threshold, r.created_ms, "
           "r.started_ms, "
           "r.ended_ms, r.seconds, r.step, r.planned_steps, r.note, r.archived_ms, r.deleted_ms, r.parent, "
           "r.error_text, "
           "r.host, r.process, "
           "(SELECT group_concat(tag, char(31)) FROM (SELECT tag FROM tags t WHERE t.run = r.number ORDER BY "
           "tag))";
}

RunSummary readSummary(const Statement& s)
{
    RunSummary run;
    int i = 0;
    run.id = s.text(i++);
    run.name = s.text(i++);
    run.status = runStatusFromId(s.text(i++)).value_or(RunStatus::Failed);
    run.task = s.text(i++);
    run.backbone = s.text(i++);
    run.data = s.text(i++);
    run.device = s.text(i++);
    if (!s.isNull(i))
        run.headline = HeadlineMetric{s.text(i),
                                      s.text(i + 1),
                                      s.real(i + 2),
                                      s.optionalReal(i + 3),
                                      s.optionalReal(i + 4),
                                      s.optionalReal(i + 5)};
    i += 6;
    run.verdictId = s.text(i++);
    run.verdictBadge = s.text(i++);
    run.verdictSentence = s.text(i++);
    run.verdictEvidence = s.text(i++);
    run.verdictRemedy = s.text(i++);
    run.suggestedThreshold = s.optionalReal(i++);
    run.createdAt = s.integer(i++);
    run.startedAt = s.integer(i++);
    run.endedAt = s.integer(i++);
    run.seconds = s.real(i++);
    run.step = s.integer(i++);
    run.plannedSteps = s.integer(i++);
    run.note = s.text(i++);
    run.archived = !s.isNull(i++);
    run.deleted = !s.isNull(i++);
    run.parent = s.text(i++);
    run.errorText = s.text(i++);
    run.host = s.text(i++);
    run.process = s.integer(i++);
    run.tags = splitTags(s.text(i++));
    return run;
}

RunDetails readDetails(Database& database, const RunId& id)
{
    RunDetails details;
    const std::int64_t number = runNumber(database, id);
    Statement summary =
        database.prepare("SELECT " + std::string(summaryColumns()) + " FROM runs r WHERE r.number = ?");
    summary.bind(number).step();
    details.summary = readSummary(summary);
    Statement s = database.prepare(
        "SELECT c.json, i.train_fingerprint, i.evaluation_fingerprint, i.split_hash, i.tokenizer_hash, "
        "i.weights_hash, "
        "i.head_hash, i.build_id, i.device_description, i.dtype, i.threads, i.train_examples, "
        "i.evaluation_examples, "
        "i.preflight_json FROM run_inputs i JOIN configs c ON c.number = i.config WHERE i.run = ?");
    if (!s.bind(number).step())
        throw StoreFailure({ErrorCode::Store, "the store is damaged: a run has lost its configuration", id});
    details.configJson = s.text(0);
    details.trainFingerprint = s.text(1);
    details.evaluationFingerprint = s.text(2);
    details.splitHash = s.text(3);
    details.tokenizerHash = s.text(4);
    details.weightsHash = s.text(5);
    details.headHash = s.text(6);
    details.buildId = s.text(7);
    details.deviceDescription = s.text(8);
    details.dtype = s.text(9);
    details.threads = s.integer(10);
    details.trainExamples = s.integer(11);
    details.evaluationExamples = s.integer(12);
    details.preflightJson = s.text(13);
    return details;
}

std::pair<std::vector<std::string>, std::vector<std::string>> readSplit(Database& database, std::int64_t run)
{
    std::pair<std::vector<std::string>, std::vector<std::string>> ids;
    Statement statement =
        database.prepare("SELECT d.side, d.example FROM split_ids d JOIN run_inputs i ON i.split = d.split "
                         "WHERE i.run = ? ORDER BY d.side, d.ordinal");
    statement.bind(run);
    while (statement.step())
        (statement.text(0) == "train" ? ids.first : ids.second).push_back(statement.text(1));
    return ids;
}

void insertFindings(Database& database, std::int64_t run, std::int64_t evaluation, const Report& report)
{
    const auto key = evaluation != 0 ? std::optional(evaluation) : std::nullopt;
    for (const auto& finding : report.findings) {
        const char* severity = finding.severity == Severity::Red       ? "red"
                               : finding.severity == Severity::Warning ? "warning"
                                                                       : "note";
        database.run("INSERT INTO findings (run, evaluation, finding, severity, title, evidence, number) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?)",
                     run, key, finding.id, severity, finding.title, finding.evidence, finding.number);
    }
}

} // namespace assay
