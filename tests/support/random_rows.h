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

inline std::vector<const LaidOut*> pointers(const std::vector<LaidOut>& rows)
{
    std::vector<const LaidOut*> result;
    for (const auto& row : rows)
        result.push_back(&row);
    return result;
}

} // namespace assay::tests
