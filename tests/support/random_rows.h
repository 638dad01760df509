#pragma once

#include "core/base/random.h"
#include "core/text/layout.h"

#include <vector>

namespace assay::tests {

struct RandomTreeOptions
{
    std::int32_t sequences = 6;
    std::int32_t vocabulary = 50;
    std::int32_t longestEdge = 6; ///< tokens added per branch; 1 gives single-token segments
    double deeper = 0.7;          ///< chance to branch off a sequence that already exists
};

/// Rows whose sequences share beginnings in deep, ragged tries: what merging has to get right.
inline std::vector<LaidOut> randomTree(RandomStream& random, const RandomTreeOptions& options)
{
    std::vector<std::vector<TokenId>> texts;
    for (std::int32_t i = 0; i < options.sequences; ++i) {
        std::vector<TokenId> ids{1};
        if (!texts.empty() && random.chance(options.deeper)) {
            const auto& source = texts[random.below(texts.size())];
            ids.assign(source.begin(),
                       source.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(source.size())));
        }
        const auto edges = random.between(0, 3);
        for (std::int64_t e = 0; e < edges || ids.size() < 2; ++e)
            for (std::int64_t t = random.between(1, options.longestEdge); t > 0; --t)
                ids.push_back(static_cast<TokenId>(random.between(1, options.vocabulary - 1)));
        texts.push_back(std::move(ids));
    }
    std::vector<LaidOut> rows;
    for (const auto& ids : texts) {
        LaidOut row;
        Sequence sequence;
        sequence.ids = ids;
        row.sequences.push_back(std::move(sequence));
        const auto readOuts = random.between(1, 3);
        for (std::int64_t r = 0; r < readOuts; ++r) {
            const auto position = static_cast<std::int32_t>(random.below(ids.size()));
            row.readOuts.push_back({0, {{position, position + 1}}, Pooling::Last});
            row.scores.push_back({static_cast<std::int32_t>(r), -1});
            row.targets.value.push_back(static_cast<float>(random.uniform()));
            row.targets.mask.push_back(random.chance(0.8) ? 1 : 0);
            row.scoreStep.push_back(static_cast<std::int32_t>(r));
        }
        row.targets.mask[0] = 1;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// A preference of two answers to one prompt, read at their last tokens, as the pairwise layouts make it.
inline LaidOut pairOf(std::vector<TokenId> chosen, std::vector<TokenId> rejected, float margin = 0.0F)
{
    LaidOut row;
    for (auto* ids : {&chosen, &rejected}) {
        Sequence sequence;
        sequence.ids = std::move(*ids);
        const auto length = static_cast<std::int32_t>(sequence.ids.size());
        const auto number = static_cast<std::int32_t>(row.sequences.size());
        row.readOuts.push_back({number, {{length - 1, length}}, Pooling::Last});
        row.scores.push_back({number, -1});
        row.targets.value.push_back(number == 0 ? 1.0F : 0.0F);
        row.targets.mask.push_back(1);
        row.targets.rank.push_back(static_cast<float>(number));
        row.scoreStep.push_back(-1);
        row.sequences.push_back(std::move(sequence));
    }
    row.targets.groupOffsets = {0, 2};
    row.targets.margin = {margin};
    return row;
}

/// Pairs with a prompt of 1 to 12 tokens before two answers of 1 to 6.
inline std::vector<LaidOut> randomPairs(RandomStream& random, std::int32_t count,
                                        std::int32_t vocabulary = 50)
{
    const auto extend = [&](std::vector<TokenId> ids, std::int64_t most) {
        for (std::int64_t left = random.between(1, most); left > 0; --left)
            ids.push_back(static_cast<TokenId>(random.between(1, vocabulary - 1)));
        return ids;
    };
    std::vector<LaidOut> rows;
    for (std::int32_t i = 0; i < count; ++i) {
        const auto prompt = extend({1}, 12);
        rows.push_back(pairOf(extend(prompt, 6), extend(prompt, 6),
                              i % 2 ? 0.0F : static_cast<float>(random.uniform())));
    }
    return rows;
}

inline std::vector<const LaidOut*> pointers(const std::vector<LaidOut>& rows)
{
    std::vector<const LaidOut*> result;
    for (const auto& row : rows)
        result.push_back(&row);
    return result;
}

} // namespace assay::tests
