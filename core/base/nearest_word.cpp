#include "core/base/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace assay {

namespace {

/// Levenshtein distance.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates)
{
    const auto letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
    // Two letters that changed places are two edits, even in a short word.
    std::size_t allowed = letters < 4 ? 1 : std::max<std::size_t>(2, letters / 3);
    std::string_view nearest;
    for (const auto candidate : candidates) {
        const auto distance = editDistance(word, candidate);
        if (distance > allowed || (!nearest.empty() && distance == allowed))
            continue;
        nearest = candidate;
        allowed = distance;
    }
    return nearest;
}

std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates)
{
    const auto nearest = nearestWord(word, candidates);
    return nearest.empty() ? std::string() : "Did you mean \"" + std::string(nearest) + "\"?";
}

} // namespace assay
