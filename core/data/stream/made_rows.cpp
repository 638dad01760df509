#include "core/data/stream/made_rows.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace assay {

namespace {

constexpr std::size_t kChunkRows = 512;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::int64_t kChunksAhead = 4; ///< of each thread, before it waits for the visitor

/// A row that keeps its text.
struct TakenRow
{
    Row row;
    std::string text;
};

struct Chunk
{
    std::int64_t number = 0;
    double share = 0.0;
    std::vector<TakenRow> rows;
};

class Pipeline
{
public:
    Pipeline(RowSource& source, const RowMaker& make, const MadeRowVisitor& visit, unsigned threads)
        : m_source(source)
        , m_make(make)
        , m_visit(visit)
        , m_mostAhead(kChunksAhead * threads)
    {}

    /// What every thread does until the source ends.
    void work()
    {
        while (step()) {
        }
    }

    /// One chunk; false when there is nothing more to do.
    bool step()
    {
        if (!waitForVisitor())
            return false;
        auto chunk = take();
        if (!chunk)
            return false;
        std::vector<MadeRow> made;
        made.reserve(chunk->rows.size());
        for (auto& taken : chunk->rows) {
            taken.row.json = taken.text;
            auto row = m_make(taken.row);
            row.number = taken.row.number;
            row.offset = taken.row.offset;
            row.share = chunk->share;
            row.text = std::move(taken.text);
            made.push_back(std::move(row));
        }
        hand(chunk->number, std::move(made));
        return true;
    }

    /// After all threads have ended.
    Status status() const
    {
        return m_status.ok() && !m_finished && m_sourceError ? Status(*m_sourceError) : m_status;
    }

private:
    /// False when nobody wants more rows.
    bool waitForVisitor()
    {
        std::unique_lock lock(m_mutex);
        m_visited.wait(lock, [this] { return m_finished || m_taken - m_next < m_mostAhead; });
        return !m_finished;
    }

    /// The next rows of the source; none at its end.
    std::optional<Chunk> take()
    {
        const std::lock_guard reading(m_readMutex);
        if (m_ended)
            return std::nullopt;
        Chunk chunk;
        std::size_t bytes = 0;
        while (chunk.rows.size() < kChunkRows && bytes < kChunkBytes) {
            const auto row = m_source.next();
            if (!row.ok())
                m_sourceError = row.error();
            m_ended = !row.ok() || !*row;
            if (m_ended)
                break;
            bytes += (*row)->json.size();
            chunk.rows.push_back({**row, std::string((*row)->json)});
        }
        if (chunk.rows.empty())
            return std::nullopt;
        chunk.share = m_source.share();
        const std::lock_guard lock(m_mutex);
        chunk.number = m_taken++;
        return chunk;
    }

    /// Visits what has come in order; the thread that finds the next chunk does it for all.
    void hand(std::int64_t number, std::vector<MadeRow> made)
    {
        std::unique_lock lock(m_mutex);
        m_made.emplace(number, std::move(made));
        if (m_visiting)
            return;
        m_visiting = true;
        while (!m_finished && !m_made.empty() && m_made.begin()->first == m_next) {
            auto rows = std::move(m_made.begin()->second);
            m_made.erase(m_made.begin());
            lock.unlock();
            const auto more = visitAll(rows);
            lock.lock();
            if (!more.ok())
                m_status = more.error();
            m_finished = !more.ok() || !*more;
            ++m_next;
            m_visited.notify_all();
        }
        m_visiting = false;
    }

    Result<bool> visitAll(std::vector<MadeRow>& rows) const
    {
        for (auto& row : rows) {
            if (row.fileError)
                return *row.fileError;
            TRY(const bool more, m_visit(std::move(row)));
            if (!more)
                return false;
        }
        return true;
    }

    RowSource& m_source;
    const RowMaker& m_make;
    const MadeRowVisitor& m_visit;
    const std::int64_t m_mostAhead;

    std::mutex m_readMutex; ///< of the source and of what it said
    bool m_ended = false;
    std::optional<Error> m_sourceError;

    std::mutex m_mutex; ///< of everything below
    std::condition_variable m_visited;
    std::map<std::int64_t, std::vector<MadeRow>> m_made; ///< by number of the chunk
    std::int64_t m_taken = 0, m_next = 0;
    bool m_visiting = false, m_finished = false;
    Status m_status;
};

} // namespace

Status makeRows(RowSource& source, const RowMaker& make, const MadeRowVisitor& visit)
{
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    Pipeline pipeline(source, make, visit, threads);
    // Small files are read before another thread would have started.
    if (pipeline.step()) {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < threads; ++i)
            others.emplace_back([&pipeline] { pipeline.work(); });
        pipeline.work();
    }
    return pipeline.status();
}

} // namespace assay
