#include "core/run/prepared_side.h"

#include "core/data/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace assay {

namespace {

/// Why a row has no tokens.
struct Refusal
{
    Error error;
    bool isTheRows = true; ///< another row may do; not so with the tokenizer of another model
};

/// What the layout made of every row; refusals by the row's place, so that the first one is the same
/// whichever thread met it.
struct LaidOutRows
{
    std::vector<LaidOut> rows; ///< empty where refused
    std::map<std::size_t, Refusal> refusals;
};

std::string placeOf(const Example& example)
{
    return fmt::format("{}, row {}", example.source, example.row + 1);
}

Status checkLength(const LaidOut& row, const Example& example, std::int64_t positions)
{
    for (const auto& sequence : row.sequences) {
        const auto length = sequence.positionOffset + static_cast<std::int64_t>(sequence.ids.size());
        if (positions > 0 && length > positions)
            return Error{
                ErrorCode::BadData,
                fmt::format("has {} tokens, and the backbone has no position after {}", length, positions),
                placeOf(example), fmt::format("Set layout.maximum_tokens to {} or less", positions)};
    }
    return {};
}

Status checkIds(const LaidOut& row, const Example& example, std::int64_t vocabulary)
{
    for (const auto& sequence : row.sequences)
        for (const auto id : sequence.ids)
            if (id < 0 || id >= vocabulary)
                return Error{ErrorCode::BadData,
                             fmt::format("the token id {} is outside the vocabulary of {}", id, vocabulary),
                             placeOf(example), "Take the tokenizer that belongs to the model"};
    return {};
}

std::optional<Refusal> checkedTokens(const LaidOut& row, const Example& example, const ModelLimits& limits)
{
    if (const auto status = checkLength(row, example, limits.lastPosition); !status.ok())
        return Refusal{status.error()};
    const auto status = checkIds(row, example, limits.vocabulary);
    if (status.ok())
        return std::nullopt;
    return Refusal{status.error(), example.tokenised() || example.tokenisedPreference()};
}

LaidOutRows layOutRows(const Dataset& dataset, const Layout& layout, bool training, const ModelLimits& limits,
                       const std::stop_token& stop)
{
    LaidOutRows out;
    out.rows.resize(static_cast<std::size_t>(dataset.size()));
    std::mutex mutex;
    std::atomic<std::size_t> next = 0;
    constexpr std::size_t kChunk = 64;
    const auto work = [&] {
        for (;;) {
            const std::size_t begin = next.fetch_add(kChunk);
            if (begin >= out.rows.size() || stop.stop_requested())
                return;
            for (std::size_t i = begin; i < std::min(out.rows.size(), begin + kChunk); ++i) {
                const auto example = dataset.at(static_cast<std::int64_t>(i));
                auto row = layout.layOut(example, training);
                auto refusal =
                    row.ok() ? checkedTokens(*row, example, limits) : std::optional(Refusal{row.error()});
                if (!refusal) {
                    out.rows[i] = std::move(*row);
                } else {
                    const std::lock_guard lock(mutex);
                    out.refusals.emplace(i, std::move(*refusal));
                }
            }
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    work();
    threads.clear();
    return out;
}

/// The error that ends the preparation, if any: skipping needs rows that remain.
std::optional<Error> endingError(const LaidOutRows& laidOut, Refusals refusals)
{
    const bool skip = refusals == Refusals::Skip && laidOut.refusals.size() < laidOut.rows.size();
    for (const auto& [row, refusal] : laidOut.refusals)
        if (!skip || !refusal.isTheRows)
            return refusal.error;
    return std::nullopt;
}

/// The side without what was refused; it tells of that as the format tells of rows that it cannot read.
PreparedSide withoutRefused(DatasetPtr dataset, LaidOutRows laidOut)
{
    PreparedSide side;
    if (laidOut.refusals.empty()) {
        side.dataset = std::move(dataset);
        side.rows = std::move(laidOut.rows);
        return side;
    }
    auto problems = dataset->problems();
    std::vector<std::int64_t> left;
    for (std::size_t i = 0; i < laidOut.rows.size(); ++i) {
        const auto refused = laidOut.refusals.find(i);
        if (refused == laidOut.refusals.end()) {
            side.rows.push_back(std::move(laidOut.rows[i]));
            left.push_back(static_cast<std::int64_t>(i));
            continue;
        }
        const auto example = dataset->at(static_cast<std::int64_t>(i));
        problems.push_back({.source = example.source,
                            .row = example.row,
                            .message = refused->second.error.message,
                            .kind = "layout-refused"});
    }
    side.dataset = subset(std::move(dataset), std::move(left), std::move(problems));
    return side;
}

PreparedSide counted(PreparedSide side)
{
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
        const auto& row = side.rows[i];
        side.cut.tokens += row.cut.tokens;
        side.cut.labelsCorrect += row.cut.labelsCorrect;
        side.cut.labelsWrong += row.cut.labelsWrong;
        side.cut.readOuts += row.cut.readOuts;
        side.dropped += row.empty() ? 1 : 0;
        if (row.empty())
            continue;
        if (std::none_of(row.targets.mask.begin(), row.targets.mask.end(),
                         [](std::uint8_t m) { return m != 0; })) {
            ++side.nothingSupervised;
            continue;
        }
        side.kept.push_back(static_cast<std::int64_t>(i));
        const auto tokens = row.tokens();
        side.tokens += tokens;
        side.longest = std::max(side.longest, tokens);
    }
    return side;
}

} // namespace

Status checkTokens(const LaidOut& row, const Example& example, const ModelLimits& limits)
{
    TRY_STATUS(checkLength(row, example, limits.lastPosition));
    return checkIds(row, example, limits.vocabulary);
}

Result<PreparedSide> layOutAll(DatasetPtr dataset, const Layout& layout, bool training,
                               const ModelLimits& limits, Refusals refusals, const std::stop_token& stop)
{
    auto laidOut = layOutRows(*dataset, layout, training, limits, stop);
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped before training began"};
    if (const auto error = endingError(laidOut, refusals))
        return *error;
    return counted(withoutRefused(std::move(dataset), std::move(laidOut)));
}

} // namespace assay
