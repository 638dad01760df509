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

} // namespace

AttentionPlan planAttention(const SegmentForest& forest, std::int64_t batchedPairs)
{
    AttentionPlan plan;
    plan.tokens = forest.tokens();
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
