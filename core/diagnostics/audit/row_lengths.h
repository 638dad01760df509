#pragma once

#include "core/data/dataset.h"
#include "core/eval/report.h"
#include "core/text/layout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// What the limits of a layout cost on one side. Labels by class for steps; for preferences only rows count.
struct TruncationCount
{
    std::int64_t rows = 0, cutRows = 0, droppedRows = 0;
    std::int64_t correct = 0, wrong = 0; ///< supervised labels before the cut
    std::int64_t correctLost = 0, wrongLost = 0;
    std::int64_t longest = 0; ///< tokens of the longest row before the cut
};

TruncationCount countTruncation(const Dataset& dataset, std::span<const LaidOut> rows);

/// Tokens of a row before anything was cut, all of its sequences together.
std::int64_t fullTokens(const LaidOut& row);

/// Rows (of the file) with a sequence of more than `positions` tokens, as it will be computed.
std::vector<std::int64_t> rowsBeyond(const Dataset& dataset, std::span<const LaidOut> rows,
                                     std::int64_t positions);

/// Rows by their tokens before the cut, in at most 32 bins from 0: x is where a bin begins, y its rows.
Curve tokensPerRow(std::span<const LaidOut> rows);

} // namespace assay
