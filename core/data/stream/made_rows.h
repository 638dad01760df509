#pragma once

#include "core/data/dataset.h"
#include "core/data/rows/row_source.h"

#include <functional>
#include <string>
#include <vector>

namespace assay {

/// What became of one row of a file.
struct MadeRow
{
    std::int64_t number = 0;       ///< of the row, 0-based
    std::vector<Example> examples; ///< none where it was refused, or left out by a policy
    std::optional<RowProblem> problem;
    std::optional<Error> fileError; ///< the row shows that the file as a whole cannot be read
    std::string text;               ///< as it was read
    std::int64_t offset = -1;       ///< Row::offset
    double share = 0.0;             ///< of the source that had been read by then, in [0, 1]
};

/// Makes examples of one row. Pure, and safe to call from several threads.
using RowMaker = std::function<MadeRow(const Row& row)>;

/// Sees every row in the order of the file; returns false to stop reading. Errors end the reading.
using MadeRowVisitor = std::function<Result<bool>(MadeRow row)>;

/// Reads a file to its end with all cores: one thread at a time takes rows out of the source, all make
/// examples of them, and `visit` sees them one by one and in order. Memory is bounded by some MiB a thread.
/// Errors: of the source, of a row that speaks for the file, of `visit`.
Status makeRows(RowSource& source, const RowMaker& make, const MadeRowVisitor& visit);

} // namespace assay
