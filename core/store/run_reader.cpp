#include "core/store/evaluation_rows.h"
#include "core/store/filter/filter.h"
#include "core/store/migrations.h"
#include "core/store/pair_list.h"
#include "core/store/run_rows.h"
#include "core/store/run_store.h"
#include "core/store/series_rows.h"
#include "core/store/solutions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace assay {

namespace {

constexpr std::string_view kMetricPrefix = "evaluation.";

/// Column ids of the run table and what they sort by.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kSortColumns = {{
    {"created", "r.created_ms"},
    {"started", "r.started_ms"},
    {"ended", "r.ended_ms"},
    {"status", "r.status"},
    {"name", "r.name COLLATE NOCASE"},
    {"task", "r.task"},
    {"backbone", "r.backbone COLLATE NOCASE"},
    {"data", "r.data COLLATE NOCASE"},
    {"device", "r.device"},
    {"headline", "r.headline_value"},
    {"metric", "r.headline_value"},
    {"verdict", "r.verdict_badge"},
    {"duration", "r.seconds"},
    {"seconds", "r.seconds"},
    {"step", "r.step"},
    {"tags", "(SELECT group_concat(tag) FROM tags t WHERE t.run = r.number)"},
}};

EventLevel levelFromWord(const std::string& word)
{
    return word == "error" ? EventLevel::Error : word == "warning" ? EventLevel::Warning : EventLevel::Info;
}

class SqliteRunReader final : public RunReader
{
public:
    SqliteRunReader(StorePlace place, ReadingConnection connection)
        : m_place(std::move(place))
        , m_connection(std::move(connection))
        , m_database(*m_connection.database)
    {}

    Result<RunPage> runs(const RunQuery& query) const override
    {
        return guarded([&] { return readRuns(query); });
    }

    Result<RunDetails> run(const RunId& id) const override
    {
        return guarded([&] {
            const Snapshot snapshot(m_database);
            return readDetails(m_database, id);
        });
    }

    Result<RunId> findRun(const std::string& text) const override
    {
        return guarded([&] { return find(text); });
    }

    Result<std::vector<SeriesPoint>> series(const RunId& run, const std::string& series, double fromStep,
                                            double toStep, std::int64_t maximumPoints) const override
    {
        return guarded([&] {
            const Snapshot snapshot(m_database);
            const std::int64_t number = runNumber(m_database, run);
            if (series.rfind(kMetricPrefix, 0) == 0)
                return readMetricSeries(m_database, number, series.substr(kMetricPrefix.size()));
            return readStepSeries(m_database, number, series, fromStep, toStep, maximumPoints);
        });
    }

    Result<std::vector<std::string>> seriesNames(const RunId& run) const override
    {
        return guarded([&] {
            const std::int64_t number = runNumber(m_database, run);
            std::vector<std::string> names;
            if (m_database.integer("SELECT EXISTS (SELECT 1 FROM step_rows WHERE run = ?) OR "
                                   "EXISTS (SELECT 1 FROM series_blocks WHERE run = ?)",
                                   number, number))
                names = stepSeriesNames();
            Statement s = m_database.prepare("SELECT id FROM metric_names WHERE number IN "
                                             "(SELECT metric FROM metrics WHERE run = ?) ORDER BY number");
            s.bind(number);
            while (s.step())
                names.push_back(std::string(kMetricPrefix) + s.text(0));
            return names;
        });
    }

    Result<std::vector<StepRecord>> steps(const RunId& run, std::int64_t afterStep,
                                          std::int64_t limit) const override
    {
        return guarded([&] {
            const Snapshot snapshot(m_database);
            return readSteps(m_database, runNumber(m_database, run), afterStep, limit);
        });
    }

    Result<std::vector<EvaluationRecord>> evaluations(const RunId& run) const override
    {
        return guarded([&] { return readEvaluations(m_database, runNumber(m_database, run)); });
    }

    Result<std::vector<EvaluationRecord>> evaluationsOnOtherData(const RunId& run) const override
    {
        return guarded([&] { return readOtherEvaluations(m_database, runNumber(m_database, run)); });
    }

    Result<std::vector<EventRecord>> events(const RunId& run, std::int64_t limit) const override
    {
        return guarded([&] {
            std::vector<EventRecord> events;
            Statement s =
                m_database.prepare("SELECT id, at_ms, step, level, kind, text FROM events WHERE run = ? "
                                   "ORDER BY id DESC LIMIT ?");
            s.bind(runNumber(m_database, run)).bind(limit);
            while (s.step())
                events.push_back({s.integer(0), s.integer(1), s.integer(2), levelFromWord(s.text(3)),
                                  s.text(4), s.text(5)});
            return events;
        });
    }

    Result<std::vector<PostedControl>> pendingControls(const RunId& run) const override
    {
        return guarded([&] {
            std::vector<PostedControl> pending;
            Statement s = m_database.prepare(
                "SELECT control, at_ms FROM controls WHERE run = ? AND taken_ms IS NULL ORDER BY id");
            s.bind(runNumber(m_database, run));
            while (s.step())
                if (const auto control = controlFromId(s.text(0)))
                    pending.push_back({*control, s.integer(1)});
            return pending;
        });
    }

    Result<std::vector<std::string>> tags() const override
    {
        return guarded([&] {
            std::vector<std::string> tags;
            Statement s =
                m_database.prepare("SELECT DISTINCT t.tag FROM tags t JOIN runs r ON r.number = t.run "
                                   "WHERE r.deleted_ms IS NULL ORDER BY t.tag");
            while (s.step())
                tags.push_back(s.text(0));
            return tags;
        });
    }

    Result<std::vector<CheckpointRecord>> checkpoints(const RunId& run) const override
    {
        return guarded([&] {
            std::vector<CheckpointRecord> checkpoints;
            Statement s = m_database.prepare(
                "SELECT id, step, at_ms, bytes, path, manifest_hash, final FROM checkpoints "
                "WHERE run = ? ORDER BY id");
            s.bind(runNumber(m_database, run));
            while (s.step())
                checkpoints.push_back({s.integer(0), s.integer(1), s.integer(2), s.integer(3), s.text(4),
                                       s.text(5), s.boolean(6)});
            return checkpoints;
        });
    }

    Result<SolutionPage> solutions(const SolutionQuery& query) const override
    {
        return guarded([&] {
            const Snapshot snapshot(m_database);
            return query.pairs ? m_pairs.page(m_database, query) : m_solutions.page(m_database, query);
        });
    }

    Result<WrongStepRank> rankAmongWrong(std::int64_t evaluation, double probability) const override
    {
        return guarded([&] {
            Statement s =
                m_database.prepare("SELECT count(*), ifnull(sum(probability > ?), 0) FROM predictions "
                                   "WHERE evaluation = ? AND supervised AND label < 0.5");
            s.bind(probability).bind(evaluation).step();
            return WrongStepRank{s.integer(1) + 1, s.integer(0)};
        });
    }

    Result<StoredExample> example(const std::string& id) const override
    {
        return guarded([&] { return readExample(m_database, id); });
    }

    Result<std::vector<StoredPrediction>> predictions(std::int64_t evaluation,
                                                      const std::string& exampleId) const override
    {
        return guarded([&] { return readPredictions(m_database, evaluation, exampleId); });
    }

    Result<std::pair<std::vector<std::string>, std::vector<std::string>>>
    splitIds(const RunId& run) const override
    {
        return guarded([&] { return readSplit(m_database, runNumber(m_database, run)); });
    }

    Result<std::int64_t> version() const override
    {
        return guarded([&] { return m_database.integer("PRAGMA data_version"); });
    }

    Status integrityCheck() const override
    {
        return guarded([&] {
            if (const auto answer = m_database.text("PRAGMA integrity_check"); answer != "ok")
                throw StoreFailure({ErrorCode::Store, "the store is damaged: " + answer,
                                    m_place.database().string(), "Restore a copy from the folder backups"});
        });
    }

    const StorePlace& place() const override { return m_place; }

private:
    RunPage readRuns(const RunQuery& query) const;
    RunId find(const std::string& text) const;

    StorePlace m_place;
    mutable ReadingConnection m_connection;
    Database& m_database;
    mutable SolutionList m_solutions;
    mutable PairList m_pairs;
};

RunPage SqliteRunReader::readRuns(const RunQuery& query) const
{
    FilterLanguage language = runFilterLanguage();
    language.others = [&](std::string_view name) -> std::optional<FilterField> {
        // Before the first evaluation of a store every name may be a metric's.
        if (m_database.integer("SELECT EXISTS (SELECT 1 FROM metric_names WHERE id = ?) OR "
                               "NOT EXISTS (SELECT 1 FROM metric_names)",
                               name) == 0)
            return std::nullopt;
        return FilterField{std::string(name),
                           FieldKind::Number,
                           "(SELECT m.value FROM metrics m JOIN metric_names n ON n.number = m.metric WHERE "
                           "m.evaluation = r.last_evaluation AND n.id = ?)",
                           {std::string(name)}};
    };
    auto filter = parseFilter(query.filter, language);
    if (!filter.ok())
        throw StoreFailure(filter.error());
    const auto* sort = std::find_if(kSortColumns.begin(), kSortColumns.end(),
                                    [&](const auto& column) { return column.first == query.sortColumn; });
    if (sort == kSortColumns.end())
        throw StoreFailure({ErrorCode::Usage, "the run table has no such column", query.sortColumn});

    // Archived and deleted runs are hidden unless the filter itself speaks of them.
    std::string visible = query.onlyDeleted                    ? "r.deleted_ms IS NOT NULL"
                          : filter->fields.contains("deleted") ? "1"
                                                               : "r.deleted_ms IS NULL";
    if (!query.includeArchived && !query.onlyDeleted && !filter->fields.contains("archived"))
        visible += " AND r.archived_ms IS NULL";
    const std::string from = " FROM runs r WHERE " + visible + " AND " + filter->sql;

    const Snapshot snapshot(m_database);
    RunPage page;
    page.total = m_database.integer("SELECT count(*) FROM runs WHERE deleted_ms IS NULL");
    Statement count = m_database.prepare("SELECT count(*)" + from);
    for (const auto& value : filter->values)
        count.bind(value);
    count.step();
    page.matching = count.integer(0);
    Statement rows =
        m_database.prepare("SELECT " + std::string(summaryColumns()) + from + " ORDER BY " +
                           std::string(sort->second) + (query.descending ? " DESC" : "") +
                           " NULLS LAST, r.number" + (query.descending ? " DESC" : "") + " LIMIT ? OFFSET ?");
    for (const auto& value : filter->values)
        rows.bind(value);
    rows.bind(query.limit).bind(query.offset);
    while (rows.step())
        page.rows.push_back(readSummary(rows));
    return page;
}

RunId SqliteRunReader::find(const std::string& text) const
{
    const auto one = [&](const char* sql) { return m_database.text(sql, text); };
    if (text == "last") {
        const RunId last =
            m_database.text("SELECT id FROM runs WHERE deleted_ms IS NULL ORDER BY number DESC LIMIT 1");
        if (last.empty())
            throw StoreFailure({ErrorCode::NotFound, "the store has no runs yet", m_place.folder.string(),
                                "Train something first (assay demo)"});
        return last;
    }
    if (const RunId id = one("SELECT id FROM runs WHERE id = ?"); !id.empty())
        return id;
    if (const RunId id =
            one("SELECT id FROM runs WHERE name = ? ORDER BY deleted_ms IS NOT NULL, number DESC LIMIT 1");
        !id.empty())
        return id;
    if (text.size() >= 3 && text.find_first_not_of("0123456789abcdef") == std::string::npos) {
        std::vector<RunId> fitting;
        Statement s = m_database.prepare("SELECT id FROM runs WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2");
        s.bind(text);
        while (s.step())
            fitting.push_back(s.text(0));
        if (fitting.size() == 1)
            return fitting.front();
        if (fitting.size() > 1)
            throw StoreFailure({ErrorCode::Usage,
                                "several runs begin with this id: " + fitting[0] + ", " + fitting[1], text,
                                "Give more characters"});
    }
    throw StoreFailure(
        {ErrorCode::NotFound, "there is no such run in the store", text, "assay runs lists them"});
}

} // namespace

Result<std::unique_ptr<RunReader>> RunReader::open(const StorePlace& place)
{
    return guarded([&]() -> std::unique_ptr<RunReader> {
        return std::make_unique<SqliteRunReader>(place, openForReading(place));
    });
}

} // namespace assay
