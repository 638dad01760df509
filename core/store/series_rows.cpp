#include "core/store/series_rows.h"

#include "core/store/series_buckets.h"
#include "core/store/step_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay {

namespace {

static_assert(std::endian::native == std::endian::little, "BLOBs of the store are little-endian");

constexpr const char* kStepColumns =
    "step, loss, gradient_norm, learning_rate, tokens, computed_tokens, examples, "
    "read_outs, seconds, data_wait, clipped, skipped";

template <typename T>
std::string_view bytesOf(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> fromBytes(std::string_view bytes, const Database& database)
{
    if (bytes.size() % sizeof(T) != 0)
        throw StoreFailure({ErrorCode::Store, "the store is damaged: a series block has an impossible size",
                            database.path().string()});
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty())
        std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// A column that never changes (learning rate, examples) costs eight bytes per block; so does the step count.
std::vector<double> packed(const std::vector<double>& values, bool counts)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = counts ? values[0] + static_cast<double>(i) : values[0];
        if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(expected))
            return values;
    }
    return {values[0]};
}

std::vector<double> unpacked(std::vector<double> values, std::size_t points, bool counts,
                             const Database& database)
{
    if (values.size() == points)
        return values;
    if (values.size() != 1)
        throw StoreFailure({ErrorCode::Store, "the store is damaged: a series block has lost points",
                            database.path().string()});
    std::vector<double> result(points, values[0]);
    if (counts)
        for (std::size_t i = 0; i < points; ++i)
            result[i] += static_cast<double>(i);
    return result;
}

void insertBlock(Database& database, std::int64_t run, std::string_view series, std::int64_t attempt,
                 const std::vector<double>& steps, const std::vector<double>& values)
{
    std::vector<SeriesSummary> chunks;
    SeriesSummary whole;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % static_cast<std::size_t>(kChunkSteps) == 0)
            chunks.emplace_back();
        chunks.back().add(steps[i], values[i]);
    }
    for (const auto& chunk : chunks)
        whole.add(chunk);
    database.run("INSERT INTO series_blocks (run, series, attempt, first_step, last_step, points, "
                 "non_finite, minimum, "
                 "maximum, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 run, series, attempt, static_cast<std::int64_t>(whole.firstStep),
                 static_cast<std::int64_t>(whole.lastStep), static_cast<std::int64_t>(whole.points),
                 static_cast<std::int64_t>(whole.nonFinite), whole.minimum, whole.maximum, whole.last);
    const auto data = packed(values, series == "step");
    Statement statement =
        database.prepare("INSERT INTO series_values (block, chunks, data) VALUES (?, ?, ?)");
    statement.bind(database.lastInsertId()).bindBlob(bytesOf(chunks)).bindBlob(bytesOf(data)).run();
}

/// The steps of one attempt that are still valid: those after `last` were computed again later.
struct Span
{
    std::int64_t attempt = 0;
    std::int64_t first = 0, last = 0;
};

std::vector<Span> validSpans(Database& database, std::int64_t run, double fromStep, double toStep)
{
    const bool all = fromStep == 0.0 && toStep == 0.0;
    const auto low = static_cast<std::int64_t>(all ? 0.0 : std::ceil(std::clamp(fromStep, 0.0, 9e15)));
    const auto high = static_cast<std::int64_t>(all ? 9e15 : std::floor(std::clamp(toStep, 0.0, 9e15)));
    std::vector<Span> spans;
    Statement statement =
        database.prepare("SELECT attempt, from_step FROM attempts WHERE run = ? ORDER BY attempt");
    statement.bind(run);
    while (statement.step()) {
        for (auto& span : spans)
            span.last = std::min(span.last, statement.integer(1));
        spans.push_back({statement.integer(0), low, high});
    }
    std::erase_if(spans, [](const Span& span) { return span.first > span.last; });
    return spans;
}

struct Block
{
    std::int64_t id = 0;
    SeriesSummary summary;
};

std::vector<Block> readBlocks(Database& database, std::int64_t run, const std::string& series,
                              const Span& span)
{
    std::vector<Block> blocks;
    Statement statement = database.prepare(
        "SELECT id, first_step, last_step, points, non_finite, minimum, maximum, last FROM series_blocks "
        "WHERE run = ? AND series = ? AND attempt = ? AND first_step <= ? AND last_step >= ? ORDER BY "
        "first_step");
    statement.bind(run).bind(series).bind(span.attempt).bind(span.last).bind(span.first);
    while (statement.step())
        blocks.push_back({statement.integer(0),
                          {statement.real(1), statement.real(2), statement.real(3), statement.real(4),
                           statement.real(5), statement.real(6), statement.real(7)}});
    return blocks;
}

std::vector<double> blockData(Database& database, std::int64_t run, const std::string& series,
                              std::int64_t attempt, const SeriesSummary& block)
{
    Statement statement =
        database.prepare("SELECT v.data FROM series_blocks b JOIN series_values v ON v.block = b.id "
                         "WHERE b.run = ? AND b.series = ? AND b.attempt = ? AND b.first_step = ?");
    statement.bind(run).bind(series).bind(attempt).bind(static_cast<std::int64_t>(block.firstStep));
    if (!statement.step())
        throw StoreFailure({ErrorCode::Store, "the store is damaged: a series block has no values",
                            database.path().string()});
    return unpacked(fromBytes<double>(statement.blob(0), database), static_cast<std::size_t>(block.points),
                    series == "step", database);
}

/// Reads one block as finely as the bucket width asks for, and exactly at the ends of the span.
void addBlock(Database& database, std::int64_t run, const std::string& series, const Span& span,
              const Block& block, double width, SeriesBuckets& buckets)
{
    const auto first = static_cast<double>(span.first), last = static_cast<double>(span.last);
    const auto inside = [&](const SeriesSummary& s) { return s.firstStep >= first && s.lastStep <= last; };
    const bool whole = inside(block.summary);
    if (whole && width >= 4.0 * static_cast<double>(kBlockSteps)) {
        buckets.add(block.summary);
        return;
    }
    std::vector<double> steps, values;
    const auto addPoints = [&](std::size_t begin, std::size_t end) {
        if (steps.empty()) {
            steps = blockData(database, run, "step", span.attempt, block.summary);
            values = blockData(database, run, series, span.attempt, block.summary);
        }
        for (std::size_t i = begin; i < std::min(end, steps.size()); ++i)
            if (steps[i] >= first && steps[i] <= last)
                buckets.add(steps[i], values[i]);
    };
    if (width < 4.0 * static_cast<double>(kChunkSteps)) {
        addPoints(0, static_cast<std::size_t>(kBlockSteps));
        return;
    }
    Statement statement = database.prepare("SELECT chunks FROM series_values WHERE block = ?");
    statement.bind(block.id);
    const auto chunks = statement.step() ? fromBytes<SeriesSummary>(statement.blob(0), database)
                                         : std::vector<SeriesSummary>();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (inside(chunks[i]))
            buckets.add(chunks[i]);
        else if (chunks[i].lastStep >= first && chunks[i].firstStep <= last)
            addPoints(i * static_cast<std::size_t>(kChunkSteps),
                      (i + 1) * static_cast<std::size_t>(kChunkSteps));
    }
}

StepRecord recordFromRow(const Statement& statement, std::int64_t attempt)
{
    StepRecord record;
    record.attempt = attempt;
    int index = 0;
    for (const auto& column : stepColumns())
        if (column.set)
            column.set(record, statement.real(index++));
    return record;
}

} // namespace

std::vector<std::string> stepSeriesNames()
{
    std::vector<std::string> names;
    for (const auto& column : stepColumns())
        if (column.name != "step")
            names.emplace_back(column.name);
    return names;
}

void insertStep(Database& database, std::int64_t run, const StepRecord& r)
{
    database.run(
        "INSERT INTO step_rows (run, attempt, step, loss, gradient_norm, learning_rate, tokens, "
        "computed_tokens, "
        "examples, read_outs, seconds, data_wait, clipped, skipped) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        run, r.attempt, r.step, r.loss, r.gradientNorm, r.learningRate, r.tokens, r.computedTokens,
        r.examples, r.readOuts, r.seconds, r.dataWaitSeconds, r.clipped, r.skipped);
}

std::int64_t looseSteps(Database& database, std::int64_t run, std::int64_t attempt)
{
    return database.integer("SELECT count(*) FROM step_rows WHERE run = ? AND attempt = ?", run, attempt);
}

void sealSteps(Database& database, std::int64_t run, std::int64_t attempt)
{
    std::vector<StepRecord> records;
    {
        Statement statement =
            database.prepare("SELECT " + std::string(kStepColumns) +
                             " FROM step_rows WHERE run = ? AND attempt = ? ORDER BY step LIMIT ?");
        statement.bind(run).bind(attempt).bind(kBlockSteps);
        while (statement.step())
            records.push_back(recordFromRow(statement, attempt));
    }
    if (records.empty())
        return;
    const auto valuesOf = [&](const StepColumn& column) {
        std::vector<double> values;
        values.reserve(records.size());
        for (const auto& record : records)
            values.push_back(column.get(record));
        return values;
    };
    const auto steps = valuesOf(stepColumns().front());
    for (const auto& column : stepColumns())
        insertBlock(database, run, column.name, attempt, steps, valuesOf(column));
    database.run("DELETE FROM step_rows WHERE run = ? AND attempt = ? AND step <= ?", run, attempt,
                 records.back().step);
}

std::vector<SeriesPoint> readStepSeries(Database& database, std::int64_t run, const std::string& series,
                                        double fromStep, double toStep, std::int64_t maximumPoints)
{
    const StepColumn* column = findStepColumn(series);
    if (!column)
        return {};
    const auto spans = validSpans(database, run, fromStep, toStep);
    std::vector<std::vector<Block>> blocks;
    double points = 0.0;
    for (const auto& span : spans) {
        blocks.push_back(readBlocks(database, run, series, span));
        for (const auto& block : blocks.back())
            points += block.summary.points;
        points += static_cast<double>(database.integer(
            "SELECT count(*) FROM step_rows WHERE run = ? AND attempt = ? AND step BETWEEN ? AND ?", run,
            span.attempt, span.first, span.last));
    }
    // Every attempt may end in a bucket that is not full.
    const auto room = std::max<std::int64_t>(1, maximumPoints - static_cast<std::int64_t>(spans.size()));
    const double width =
        points <= static_cast<double>(maximumPoints) ? 1.0 : std::ceil(points / static_cast<double>(room));
    SeriesBuckets buckets(width);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        buckets.beginAttempt(spans[i].attempt);
        for (const auto& block : blocks[i])
            addBlock(database, run, series, spans[i], block, width, buckets);
        Statement statement =
            database.prepare("SELECT step, " + std::string(column->sql) +
                             " FROM step_rows WHERE run = ? AND attempt = ? AND step BETWEEN ? AND ? "
                             "ORDER BY step");
        statement.bind(run).bind(spans[i].attempt).bind(spans[i].first).bind(spans[i].last);
        while (statement.step())
            buckets.add(statement.real(0), statement.real(1));
    }
    return buckets.take();
}

std::vector<StepRecord> readSteps(Database& database, std::int64_t run, std::int64_t afterStep,
                                  std::int64_t limit)
{
    std::vector<StepRecord> records;
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, limit));
    for (const auto& span : validSpans(database, run, static_cast<double>(afterStep + 1), 9e15)) {
        for (const auto& block : readBlocks(database, run, "step", span)) {
            if (records.size() >= wanted)
                break;
            const std::size_t begin = records.size();
            records.resize(begin + static_cast<std::size_t>(block.summary.points));
            for (const auto& column : stepColumns()) {
                if (!column.set)
                    continue;
                const auto values =
                    blockData(database, run, std::string(column.name), span.attempt, block.summary);
                for (std::size_t i = 0; i < values.size(); ++i)
                    column.set(records[begin + i], values[i]);
            }
            for (std::size_t i = begin; i < records.size(); ++i)
                records[i].attempt = span.attempt;
            std::erase_if(records, [&](const StepRecord& r) {
                return r.attempt == span.attempt && (r.step < span.first || r.step > span.last);
            });
        }
        Statement statement =
            database.prepare("SELECT " + std::string(kStepColumns) +
                             " FROM step_rows WHERE run = ? AND attempt = ? AND step BETWEEN ? AND ? "
                             "ORDER BY step LIMIT ?");
        statement.bind(run).bind(span.attempt).bind(span.first).bind(span.last).bind(limit);
        while (records.size() < wanted && statement.step())
            records.push_back(recordFromRow(statement, span.attempt));
    }
    if (records.size() > wanted)
        records.resize(wanted);
    return records;
}

} // namespace assay
