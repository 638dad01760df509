#include "core/diagnostics/audit/row_lengths.h"

#include "core/base/check.h"

#include <algorithm>

namespace assay {

std::int64_t fullTokens(const LaidOut& row)
{
    return row.tokens() + row.cut.tokens;
}

TruncationCount countTruncation(const Dataset& dataset, std::span<const LaidOut> rows)
{
    CHECK(rows.size() == static_cast<std::size_t>(dataset.size()), "laid-out rows of another data set");
    TruncationCount count;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LaidOut& row = rows[i];
        const Example example = dataset.at(static_cast<std::int64_t>(i));
        ++count.rows;
        count.droppedRows += row.cut.dropped ? 1 : 0;
        count.cutRows += row.cut.dropped || row.cut.tokens > 0 ? 1 : 0;
        count.longest = std::max(count.longest, fullTokens(row));
        if (!example.stepwise() && !example.tokenised())
            continue;
        for (std::size_t s = 0; s < row.targets.mask.size(); ++s)
            if (row.targets.mask[s] != 0)
                ++(row.targets.value[s] >= 0.5F ? count.correct : count.wrong);
        count.correctLost += row.cut.labelsCorrect;
        count.wrongLost += row.cut.labelsWrong;
    }
    count.correct += count.correctLost;
    count.wrong += count.wrongLost;
    return count;
}

std::vector<std::int64_t> rowsBeyond(const Dataset& dataset, std::span<const LaidOut> rows,
                                     std::int64_t positions)
{
    std::vector<std::int64_t> beyond;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::any_of(rows[i].sequences.begin(), rows[i].sequences.end(),
                        [positions](const auto& sequence) {
                            return static_cast<std::int64_t>(sequence.ids.size()) > positions;
                        }))
            beyond.push_back(dataset.key(static_cast<std::int64_t>(i)).row);
    return beyond;
}

Curve tokensPerRow(std::span<const LaidOut> rows)
{
    constexpr std::int64_t kMostBins = 32;
    Curve curve{"tokens_per_row", "Tokens per row", {}, {}};
    std::int64_t longest = 0;
    for (const auto& row : rows)
        longest = std::max(longest, fullTokens(row));
    if (longest == 0)
        return curve;
    const auto width = longest / kMostBins + 1;
    const auto bins = longest / width + 1;
    for (std::int64_t bin = 0; bin < bins; ++bin)
        curve.x.push_back(static_cast<double>(bin * width));
    curve.y.assign(static_cast<std::size_t>(bins), 0.0);
    for (const auto& row : rows)
        if (const auto tokens = fullTokens(row); tokens > 0)
            curve.y[static_cast<std::size_t>(tokens / width)] += 1.0;
    return curve;
}

} // namespace assay
