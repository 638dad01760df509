#include "core/run/scoring/batches_by_length.h"

#include <algorithm>
#include <numeric>

namespace assay {

std::vector<std::vector<std::size_t>> batchesByLength(std::span<const std::int64_t> tokens,
                                                      std::int64_t budget)
{
    std::vector<std::size_t> order(tokens.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [tokens](std::size_t a, std::size_t b) { return tokens[a] > tokens[b]; });
    std::vector<std::vector<std::size_t>> batches;
    std::int64_t filled = 0;
    for (const auto row : order) {
        if (batches.empty() || filled + tokens[row] > budget) {
            batches.emplace_back();
            filled = 0;
        }
        batches.back().push_back(row);
        filled += tokens[row];
    }
    return batches;
}

} // namespace assay
