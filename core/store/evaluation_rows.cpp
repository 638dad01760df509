#include "core/store/evaluation_rows.h"

#include "core/store/run_rows.h"
#include "core/store/run_store.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace assay {

namespace {

std::int64_t metricNumber(Database& database, const Metric& metric)
{
    const auto find = [&] {
        return database.integer("SELECT number FROM metric_names WHERE id = ?", metric.id);
    };
    if (const auto number = find())
        return number;
    database.run("INSERT INTO metric_names (id, title) VALUES (?, ?)", metric.id, metric.title);
    return find();
}

void insertMetrics(Database& database, std::int64_t run, std::int64_t evaluation, const Report& report)
{
    for (const auto& metric : report.metrics) {
        std::optional<std::string> reason;
        if (!metric.value)
            reason = metric.undefinedReason.empty() ? "undefined" : metric.undefinedReason;
        else if (!std::isfinite(*metric.value))
            reason = "not finite";
        database.run(
            "INSERT OR REPLACE INTO metrics (evaluation, metric, run, value, low, high, chance, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            evaluation, metricNumber(database, metric), run, metric.value, metric.low, metric.high,
            metric.chance, reason);
    }
}

std::int64_t exampleNumber(Database& database, const std::string& id)
{
    if (const auto number = database.integer("SELECT number FROM examples WHERE id = ?", id))
        return number;
    database.run("INSERT INTO examples (id) VALUES (?)", id);
    return database.lastInsertId();
}

} // namespace

std::optional<HeadlineMetric> headlineOf(const EvaluationRecord& record)
{
    const Metric* chosen = nullptr;
    const bool learning = record.verdictId == "learning";
    for (const char* id : {"pair_accuracy", learning ? "balanced_accuracy" : "auroc", "auroc",
                           "balanced_accuracy", "accuracy", "loss"})
        if (const Metric* metric = record.report.metric(id); metric && metric->value && !chosen)
            chosen = metric;
    if (!chosen)
        return std::nullopt;
    HeadlineMetric headline{chosen->id,  chosen->title, *chosen->value,
                            chosen->low, chosen->high,  chosen->chance};
    // The best of the null ladder on the same split, where it was measured: baseline_auroc_position, ...
    const std::string prefix =
        "baseline_" + (chosen->id == "pair_accuracy" ? std::string("accuracy") : chosen->id);
    for (const auto& metric : record.report.metrics)
        if (metric.id.rfind(prefix, 0) == 0 && metric.value &&
            (!headline.baseline || *metric.value > *headline.baseline))
            headline.baseline = metric.value;
    return headline;
}

std::int64_t insertEvaluation(Database& database, std::int64_t run, const EvaluationRecord& r)
{
    const std::int64_t newest = database.integer("SELECT attempt FROM runs WHERE number = ?", run);
    database.run(
        "INSERT INTO evaluations (run, attempt, step, at_ms, seconds, loss, examples, read_outs, threshold, "
        "report_json, verdict_id, verdict_badge, verdict_sentence, verdict_evidence, verdict_remedy, "
        "suggested_threshold, data, data_fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?)",
        run, r.attempt > 0 ? r.attempt : newest, r.step, r.at, r.seconds, r.loss, r.examples, r.readOuts,
        r.threshold, reportToJson(r.report), r.verdictId, r.verdictBadge, r.verdictSentence,
        r.verdictEvidence, r.verdictRemedy, r.suggestedThreshold, r.data, r.dataFingerprint);
    const std::int64_t evaluation = database.lastInsertId();
    insertMetrics(database, run, evaluation, r.report);
    insertFindings(database, run, evaluation, r.report);
    if (!r.data.empty() ||
        database.integer("SELECT max(step) FROM current_evaluations WHERE run = ?", run) > r.step)
        return evaluation;
    database.run(
        "UPDATE runs SET last_evaluation = ?, verdict_id = ?, verdict_badge = ?, verdict_sentence = ?, "
        "verdict_evidence = ?, verdict_remedy = ?, suggested_threshold = ? WHERE number = ?",
        evaluation, r.verdictId, r.verdictBadge, r.verdictSentence, r.verdictEvidence, r.verdictRemedy,
        r.suggestedThreshold, run);
    if (const auto headline = headlineOf(r))
        database.run(
            "UPDATE runs SET headline_id = ?, headline_title = ?, headline_value = ?, headline_low = ?, "
            "headline_high = ?, headline_baseline = ? WHERE number = ?",
            headline->id, headline->title, headline->value, headline->low, headline->high, headline->baseline,
            run);
    return evaluation;
}

namespace {

/// `rest`: the table and what follows, with one parameter.
std::vector<EvaluationRecord> selectEvaluations(Database& database, std::int64_t run, const char* rest)
{
    std::vector<EvaluationRecord> records;
    Statement s = database.prepare(
        std::string("SELECT id, step, attempt, at_ms, seconds, loss, examples, read_outs, "
                    "threshold, report_json, verdict_id, verdict_badge, verdict_sentence, "
                    "verdict_evidence, verdict_remedy, suggested_threshold, data, data_fingerprint FROM ") +
        rest);
    s.bind(run);
    while (s.step()) {
        EvaluationRecord record;
        record.id = s.integer(0);
        record.step = s.integer(1);
        record.attempt = s.integer(2);
        record.at = s.integer(3);
        record.seconds = s.real(4);
        record.loss = s.real(5);
        record.examples = s.integer(6);
        record.readOuts = s.integer(7);
        record.threshold = s.real(8);
        auto report = reportFromJson(s.text(9));
        if (!report.ok())
            throw StoreFailure(report.error());
        record.report = std::move(report).value();
        record.verdictId = s.text(10);
        record.verdictBadge = s.text(11);
        record.verdictSentence = s.text(12);
        record.verdictEvidence = s.text(13);
        record.verdictRemedy = s.text(14);
        record.suggestedThreshold = s.optionalReal(15);
        record.data = s.text(16);
        record.dataFingerprint = s.text(17);
        records.push_back(std::move(record));
    }
    return records;
}

} // namespace

std::vector<EvaluationRecord> readEvaluations(Database& database, std::int64_t run)
{
    return selectEvaluations(database, run, "current_evaluations WHERE run = ? ORDER BY step");
}

std::vector<EvaluationRecord> readOtherEvaluations(Database& database, std::int64_t run)
{
    return selectEvaluations(database, run, "evaluations WHERE run = ? AND data <> '' ORDER BY id");
}

void insertExamples(Database& database, std::span<const StoredExample> examples)
{
    // A row without text (its predictions came first) gets it; a known text stays as it was first seen.
    Statement statement = database.prepare(
        "INSERT INTO examples (id, prompt, steps, source, row) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO "
        "UPDATE SET "
        "prompt = excluded.prompt, steps = excluded.steps, source = excluded.source, row = excluded.row "
        "WHERE examples.prompt IS NULL");
    for (const auto& example : examples) {
        const nlohmann::json steps = example.steps;
        statement.bind(example.id)
            .bind(example.prompt)
            .bind(steps.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
            .bind(example.source)
            .bind(example.row)
            .run();
    }
}

StoredExample readExample(Database& database, const std::string& id)
{
    Statement s = database.prepare("SELECT prompt, steps, source, row FROM examples WHERE id = ?");
    if (!s.bind(id).step())
        throw StoreFailure({ErrorCode::NotFound, "the store has no such example", id});
    StoredExample example{id, s.text(0), {}, s.text(2), s.integer(3)};
    if (!s.isNull(1)) {
        const auto steps = nlohmann::json::parse(s.text(1), nullptr, false);
        if (!steps.is_array())
            throw StoreFailure(
                {ErrorCode::Store, "the store is damaged: the steps of an example cannot be read", id});
        for (const auto& step : steps)
            example.steps.push_back(step.is_string() ? step.get<std::string>() : step.dump());
    }
    return example;
}

void insertPredictions(Database& database, std::int64_t evaluation, std::span<const StoredPrediction> rows)
{
    Statement insert =
        database.prepare("INSERT INTO predictions (evaluation, example, read_out, output, step, score, "
                         "probability, label, supervised) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    Statement order =
        database.prepare("INSERT INTO evaluation_examples (evaluation, example, ordinal) VALUES (?, ?, ?) "
                         "ON CONFLICT DO NOTHING");
    std::int64_t ordinal =
        database.integer("SELECT max(ordinal) FROM evaluation_examples WHERE evaluation = ?", evaluation);
    std::unordered_map<std::string, std::int64_t> numbers;
    for (const auto& row : rows) {
        auto [known, isNew] = numbers.try_emplace(row.exampleId, 0);
        if (isNew) {
            known->second = exampleNumber(database, row.exampleId);
            order.bind(evaluation).bind(known->second).bind(ordinal + 1).run();
            ordinal += database.changes();
        }
        insert.bind(evaluation)
            .bind(known->second)
            .bind(row.readOut)
            .bind(row.output)
            .bind(row.step)
            .bind(row.score)
            .bind(row.probability)
            .bind(row.label)
            .bind(row.supervised)
            .run();
    }
}

std::vector<StoredPrediction> readPredictions(Database& database, std::int64_t evaluation,
                                              const std::string& exampleId)
{
    std::vector<StoredPrediction> rows;
    Statement s = database.prepare("SELECT p.read_out, p.step, p.output, p.score, p.probability, p.label, "
                                   "p.supervised FROM predictions p "
                                   "JOIN examples x ON x.number = p.example WHERE p.evaluation = ? AND x.id "
                                   "= ? ORDER BY p.read_out, p.output");
    s.bind(evaluation).bind(exampleId);
    while (s.step())
        rows.push_back({evaluation, exampleId, static_cast<std::int32_t>(s.integer(0)),
                        static_cast<std::int32_t>(s.integer(1)), static_cast<std::int32_t>(s.integer(2)),
                        s.real(3), s.real(4), s.real(5), s.boolean(6)});
    return rows;
}

std::vector<SeriesPoint> readMetricSeries(Database& database, std::int64_t run, const std::string& metric)
{
    std::vector<SeriesPoint> points;
    Statement s = database.prepare(
        "SELECT e.step, m.value, e.attempt FROM metrics m JOIN metric_names n ON n.number = "
        "m.metric JOIN current_evaluations e ON e.id = m.evaluation WHERE m.run = ? AND n.id = ? AND "
        "(m.value IS NOT NULL OR m.reason = 'not finite') ORDER BY e.step, e.id");
    s.bind(run).bind(metric);
    while (s.step()) {
        const double value = s.real(1);
        points.push_back({s.real(0), value, value, value, s.integer(2), 1, std::isfinite(value) ? 0 : 1});
    }
    return points;
}

} // namespace assay
