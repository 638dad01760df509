#pragma once

#include <span>
#include <string_view>

namespace assay {

/// The candidate with the smallest edit distance to `word`, for "did you mean"; empty without candidates.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates);

} // namespace assay
