#include "core/train/collate.h"

#include "core/base/check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace assay {

namespace {

/// Sequences of several rows side by side, with their read-outs renumbered.
struct Gathered
{
    std::vector<const Sequence*> sequences;
    std::vector<ReadOut> readOuts;
    std::vector<Score> scores;
    Targets targets;
};

void append(Targets& all, const Targets& row)
{
    const auto firstScore = static_cast<std::int32_t>(all.value.size());
    const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    extend(all.value, row.value);
    extend(all.mask, row.mask);
    // Rows with and without a field may meet: what is missing has its neutral value.
    extend(all.weight, row.weight.empty() ? std::vector<float>(row.value.size(), 1.0F) : row.weight);
    extend(all.rank, row.rank.empty() ? std::vector<float>(row.value.size(), 0.0F) : row.rank);
    if (row.groupOffsets.empty())
        return;
    ASSAY_CHECK(row.groupOffsets.back() == static_cast<std::int32_t>(row.value.size()),
                "groups cover all scores of a row");
    const std::size_t groups = row.groupOffsets.size() - 1;
    extend(all.margin, row.margin.empty() ? std::vector<float>(groups, 0.0F) : row.margin);
    if (all.groupOffsets.empty())
        all.groupOffsets.push_back(firstScore);
    ASSAY_CHECK(all.groupOffsets.back() == firstScore, "rows with and without groups in one batch");
    for (std::size_t group = 1; group <= groups; ++group)
        all.groupOffsets.push_back(firstScore + row.groupOffsets[group]);
}

Gathered gather(std::span<const LaidOut* const> rows)
{
    Gathered all;
    for (const auto* row : rows) {
        const auto firstSequence = static_cast<std::int32_t>(all.sequences.size());
        const auto firstReadOut = static_cast<std::int32_t>(all.readOuts.size());
        ASSAY_CHECK(!row->sequences.empty() && row->targets.outputs == 1, "a row to compute");
        for (const auto& sequence : row->sequences)
            all.sequences.push_back(&sequence);
        for (auto readOut : row->readOuts) {
            readOut.sequence += firstSequence;
            all.readOuts.push_back(std::move(readOut));
        }
        for (auto score : row->scores) {
            ASSAY_CHECK(score.readOutB < 0, "dual encodings have no head yet");
            score.readOutA += firstReadOut;
            all.scores.push_back(score);
        }
        append(all.targets, row->targets);
    }
    return all;
}

at::Tensor longs(const std::vector<std::int64_t>& values, at::Device device)
{
    return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device);
}

at::Tensor floats(const std::vector<float>& values, const CollateOptions& options)
{
    return at::tensor(values, at::TensorOptions().dtype(at::kFloat)).to(options.scoreType).to(options.device);
}

template <typename Flat>
ReadOutRows readOutRows(const Gathered& all, Flat flat, const CollateOptions& options)
{
    ReadOutRows result;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> owner;
    std::vector<float> inverseCount;
    bool single = true;
    for (std::size_t r = 0; r < all.readOuts.size(); ++r) {
        const auto& readOut = all.readOuts[r];
        ASSAY_CHECK(!readOut.spans.empty(), "a read-out has a position");
        const std::size_t before = rows.size();
        if (readOut.pooling == Pooling::Last) {
            rows.push_back(flat(readOut.sequence, readOut.spans.back().end - 1));
        } else {
            for (const auto& span : readOut.spans)
                for (std::int32_t position = span.begin; position < span.end; ++position)
                    rows.push_back(flat(readOut.sequence, position));
            single = single && rows.size() == before + 1;
        }
        owner.resize(rows.size(), static_cast<std::int64_t>(r));
        inverseCount.push_back(1.0F / static_cast<float>(rows.size() - before));
    }
    result.readOuts = static_cast<std::int64_t>(all.readOuts.size());
    result.rows = longs(rows, options.device);
    if (!single) {
        result.readOut = longs(owner, options.device);
        result.inverseCount = floats(inverseCount, options).unsqueeze(1);
    }
    bool inOrder = all.scores.size() == all.readOuts.size();
    std::vector<std::int64_t> scoreReadOut;
    for (std::size_t s = 0; s < all.scores.size(); ++s) {
        scoreReadOut.push_back(all.scores[s].readOutA);
        inOrder = inOrder && all.scores[s].readOutA == static_cast<std::int32_t>(s);
    }
    if (!inOrder)
        result.scoreReadOut = longs(scoreReadOut, options.device);
    return result;
}

/// A rectangle as the usual trainers build it.
std::int64_t padded(CollatedUnit& unit, const Gathered& all, const CollateOptions& options)
{
    std::int64_t length = 0;
    for (const auto* sequence : all.sequences)
        length = std::max(length, static_cast<std::int64_t>(sequence->ids.size()));
    const auto rows = static_cast<std::int64_t>(all.sequences.size());
    std::vector<std::int64_t> ids(static_cast<std::size_t>(rows * length), 0);
    std::vector<std::int64_t> positions(ids.size(), 0);
    at::Tensor real = at::zeros({rows, length}, at::TensorOptions().dtype(at::kBool));
    std::vector<std::int64_t> start;
    for (std::int64_t r = 0; r < rows; ++r) {
        const auto& sequence = *all.sequences[static_cast<std::size_t>(r)];
        const auto count = static_cast<std::int64_t>(sequence.ids.size());
        start.push_back(r * length + (options.paddingSide == PaddingSide::Left ? length - count : 0));
        for (std::int64_t i = 0; i < count; ++i) {
            ids[static_cast<std::size_t>(start.back() + i)] = sequence.ids[static_cast<std::size_t>(i)];
            positions[static_cast<std::size_t>(start.back() + i)] = sequence.positionOffset + i;
        }
        real.select(0, r).narrow(0, start.back() - r * length, count).fill_(true);
    }
    const at::Tensor causal = at::ones({length, length}, at::TensorOptions().dtype(at::kBool)).tril();
    const at::Tensor own = at::eye(length, at::TensorOptions().dtype(at::kBool));
    // A padding position sees itself, so that no row is empty; nothing reads it.
    const at::Tensor mask = (causal & real.unsqueeze(1)) | own; // [rows, length, length]
    unit.input.ids = longs(ids, options.device);
    unit.input.positions = longs(positions, options.device);
    unit.input.padded = PaddedAttention{rows, length, mask.unsqueeze(1).to(options.device)};
    unit.readOuts = readOutRows(
        all,
        [&start](std::int32_t sequence, std::int32_t position) {
            return start[static_cast<std::size_t>(sequence)] + position;
        },
        options);
    return rows * length;
}

std::shared_ptr<const ForestAttention> placedForest(const SegmentForest& forest,
                                                    const CollateOptions& options)
{
    const auto pairs = options.attention.capped ? kBatchEverything : options.batchedPairs;
    auto placed = placeAttention(planAttention(forest, pairs), options.device, options.scoreType);
    for (const auto window : options.attention.windows)
        if (window < placed->plan.longestPath)
            placed->windowed[window] =
                placeAttention(planWindow(forest, window), options.device, options.scoreType);
    return placed;
}

std::int64_t packed(CollatedUnit& unit, const Gathered& all, const CollateOptions& options)
{
    const bool merge = options.execution == Execution::Merged;
    const SegmentForest forest = buildForest(all.sequences, merge ? options.minimumShared : 0);
    unit.input.ids = longs({forest.ids.begin(), forest.ids.end()}, options.device);
    unit.input.positions = longs({forest.positions.begin(), forest.positions.end()}, options.device);
    unit.input.forest = placedForest(forest, options);
    unit.readOuts = readOutRows(
        all,
        [&forest](std::int32_t sequence, std::int32_t position) { return forest.flat(sequence, position); },
        options);
    return forest.tokens();
}

void addUnit(MicroBatch& batch, std::span<const LaidOut* const> rows, const CollateOptions& options)
{
    const Gathered all = gather(rows);
    CollatedUnit unit;
    batch.computedTokens +=
        options.execution == Execution::Padded ? padded(unit, all, options) : packed(unit, all, options);
    unit.targets = targetTensors(all.targets, options.scoreType, options.device);
    for (const auto* sequence : all.sequences)
        batch.tokens += static_cast<std::int64_t>(sequence->ids.size());
    batch.scores += static_cast<std::int64_t>(all.scores.size());
    batch.supervised += std::count(all.targets.mask.begin(), all.targets.mask.end(), std::uint8_t{1});
    batch.units.push_back(std::move(unit));
}

} // namespace

MicroBatch collate(std::span<const LaidOut* const> rows, const CollateOptions& options)
{
    MicroBatch batch;
    if (options.execution == Execution::Single) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            addUnit(batch, rows.subspan(i, 1), options);
    } else if (!rows.empty()) {
        addUnit(batch, rows, options);
    }
    return batch;
}

} // namespace assay
