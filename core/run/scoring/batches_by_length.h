#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Indices of rows in batches of similar lengths, each of at most `budget` tokens or of one row; the longest
/// come first, so that memory runs out early or never. `tokens[i]`: length of row i.
std::vector<std::vector<std::size_t>> batchesByLength(std::span<const std::int64_t> tokens,
                                                      std::int64_t budget);

} // namespace assay
