#include "core/train/attention_plan.h"

#include <algorithm>

namespace assay {

namespace {

/// A batch may waste this much on padding before another one is opened.
constexpr double kLargestWaste = 1.35;

AttentionBatch batchOf(std::span<const AttentionPart> parts)
{
    AttentionBatch batch;
    batch.parts = static_cast<std::int32_t>(parts.size());
    for (const auto& part : parts) {
        batch.queries = std::max(batch.queries, part.queries());
        batch.keys = std::max(batch.keys, part.keys());
    }
    const auto queries = static_cast<std::size_t>(batch.queries);
    const auto keys = static_cast<std::size_t>(batch.keys);
    batch.queryRows.assign(parts.size() * queries, 0);
    batch.keyRows.assign(parts.size() * keys, 0);
    batch.allowed.assign(parts.size() * queries * keys, 0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const auto& part = parts[p];
        for (std::int32_t q = 0; q < batch.queries; ++q) {
            const std::size_t row = p * queries + static_cast<std::size_t>(q);
            const bool real = q < part.queries();
            batch.queryRows[row] = part.queryBegin + (real ? q : 0);
            if (real)
                batch.queryValid.push_back(static_cast<std::int64_t>(row));
            // A row that sees nothing would have no log-sum-exp; padded rows see one key and are thrown away.
            const std::int32_t visible = !real ? 1 : part.causal ? q + 1 : part.keys();
            std::fill_n(batch.allowed.begin() + static_cast<std::ptrdiff_t>(row * keys), visible,
                        std::uint8_t{1});
        }
        for (std::int32_t k = 0; k < batch.keys; ++k) {
            const std::size_t row = p * keys + static_cast<std::size_t>(k);
            const bool real = k < part.keys();
            batch.keyRows[row] = part.keyBegin + (real ? k : 0);
            if (real)
                batch.keyValid.push_back(static_cast<std::int64_t>(row));
        }
    }
    batch.full =
        batch.queryValid.size() == batch.queryRows.size() && batch.keyValid.size() == batch.keyRows.size();
    return batch;
}

/// Sorted by size, neighbours share a batch while the padded area stays near the real one.
void addBatched(AttentionPlan& plan, std::vector<AttentionPart>& parts)
{
    std::stable_sort(parts.begin(), parts.end(), [](const AttentionPart& a, const AttentionPart& b) {
        return std::pair(a.queries(), a.keys()) > std::pair(b.queries(), b.keys());
    });
    std::size_t begin = 0;
    while (begin < parts.size()) {
        double real = 0.0;
        std::int64_t queries = 0;
        std::int64_t keys = 0;
        std::size_t end = begin;
        for (; end < parts.size(); ++end) {
            const auto& part = parts[end];
            const auto mostQueries = std::max<std::int64_t>(queries, part.queries());
            const auto mostKeys = std::max<std::int64_t>(keys, part.keys());
            const double area =
                static_cast<double>(mostQueries * mostKeys) * static_cast<double>(end - begin + 1);
            const double grown = real + static_cast<double>(part.queries()) * part.keys();
            if (end > begin && area > kLargestWaste * grown && area > 4096.0)
                break;
            queries = mostQueries;
            keys = mostKeys;
            real = grown;
        }
        AttentionStep step;
        step.batched = true;
        step.batch = batchOf(std::span(parts).subspan(begin, end - begin));
        plan.steps.push_back(std::move(step));
        begin = end;
    }
}

constexpr std::int32_t kWindowBlock = 64; ///< queries that share their gathered keys

/// Flat rows from the root to the end of a segment.
std::vector<std::int64_t> pathRows(const SegmentForest& forest, std::int32_t segment)
{
    std::vector<const Segment*> path;
    for (std::int32_t s = segment; s >= 0; s = forest.segments[static_cast<std::size_t>(s)].parent)
        path.push_back(&forest.segments[static_cast<std::size_t>(s)]);
    std::vector<std::int64_t> rows;
    for (auto node = path.rbegin(); node != path.rend(); ++node)
        for (std::int32_t row = (*node)->begin; row < (*node)->end; ++row)
            rows.push_back(row);
    return rows;
}

/// Queries [begin, end) of a path (indices into `path`), with all keys that one of them sees.
AttentionBatch windowBatch(const std::vector<std::int64_t>& path, std::int64_t begin, std::int64_t end,
                           std::int64_t window)
{
    const std::int64_t firstKey = std::max<std::int64_t>(0, begin - window + 1);
    AttentionBatch batch;
    batch.parts = 1;
    batch.queries = static_cast<std::int32_t>(end - begin);
    batch.keys = static_cast<std::int32_t>(end - firstKey);
    batch.queryRows.assign(path.begin() + begin, path.begin() + end);
    batch.keyRows.assign(path.begin() + firstKey, path.begin() + end);
    for (std::int64_t query = begin; query < end; ++query)
        for (std::int64_t key = firstKey; key < end; ++key)
            batch.allowed.push_back(key <= query && key > query - window);
    for (std::int32_t q = 0; q < batch.queries; ++q)
        batch.queryValid.push_back(q);
    for (std::int32_t k = 0; k < batch.keys; ++k)
        batch.keyValid.push_back(k);
    batch.full = true;
    return batch;
}

std::int64_t longestPath(const SegmentForest& forest)
{
    std::vector<std::int64_t> length;
    for (const auto& segment : forest.segments)
        length.push_back((segment.parent < 0 ? 0 : length[static_cast<std::size_t>(segment.parent)]) +
                         segment.end - segment.begin);
    return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

} // namespace

AttentionPlan planWindow(const SegmentForest& forest, std::int64_t window)
{
    AttentionPlan plan;
    plan.tokens = forest.tokens();
    plan.longestPath = longestPath(forest);
    for (std::size_t s = 0; s < forest.segments.size(); ++s) {
        const auto path = pathRows(forest, static_cast<std::int32_t>(s));
        const auto end = static_cast<std::int64_t>(path.size());
        for (std::int64_t begin = end - (forest.segments[s].end - forest.segments[s].begin); begin < end;
             begin += kWindowBlock) {
            AttentionStep step;
            step.batched = true;
            step.batch = windowBatch(path, begin, std::min(end, begin + kWindowBlock), window);
            plan.steps.push_back(std::move(step));
        }
    }
    return plan;
}

AttentionPlan planAttention(const SegmentForest& forest, std::int64_t batchedPairs)
{
    AttentionPlan plan;
    plan.tokens = forest.tokens();
    plan.longestPath = longestPath(forest);
    std::int32_t deepest = -1;
    for (const auto& segment : forest.segments)
        deepest = std::max(deepest, segment.depth);
    plan.single = deepest <= 0;
    for (std::int32_t depth = 0; depth <= deepest; ++depth) {
        // At one depth every token belongs to one node or its descendants: query rows are disjoint.
        std::vector<AttentionPart> own;
        std::vector<AttentionPart> below;
        const auto add = [&](std::vector<AttentionPart>& small, const AttentionPart& part) {
            if (std::int64_t{part.queries()} * part.keys() <= batchedPairs) {
                small.push_back(part);
            } else {
                AttentionStep step;
                step.part = part;
                plan.steps.push_back(std::move(step));
            }
        };
        for (const auto& segment : forest.segments) {
            if (segment.depth != depth)
                continue;
            add(own, {segment.begin, segment.end, segment.begin, segment.end, true});
            if (segment.subtreeEnd > segment.end)
                add(below, {segment.end, segment.subtreeEnd, segment.begin, segment.end, false});
        }
        addBatched(plan, own);
        addBatched(plan, below);
    }
    return plan;
}

} // namespace assay
