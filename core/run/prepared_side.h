#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/model/model_config.h"
#include "core/text/layout.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace assay {

/// One side of a split, laid out.
struct PreparedSide
{
    /// Without the rows that were skipped because the layout refused them; those are among its problems.
    DatasetPtr dataset;
    std::vector<LaidOut> rows;          ///< [dataset], empty where the layout dropped the row
    std::vector<std::int64_t> kept;     ///< rows with at least one supervised score, in order
    std::int64_t tokens = 0;            ///< of the kept rows
    std::int64_t longest = 0;           ///< tokens
    std::int64_t dropped = 0;           ///< by the truncation policy
    std::int64_t nothingSupervised = 0; ///< kept by the layout, but without a supervised score
    CutReport cut;                      ///< summed over the rows
};

/// What becomes of a row that the layout refuses: `data.bad_rows`.
enum class Refusals { Fail, Skip };

/// Lays out every row with all cores; `training` as in Layout::layOut. Skipping leaves refused rows out of
/// the side's data set and counts them with their reason, unless every row is refused: then it is not the
/// rows that are at fault. Errors: the first row's; Cancelled.
Result<PreparedSide> layOutAll(DatasetPtr dataset, const Layout& layout, bool training,
                               const ModelLimits& limits, Refusals refusals, const std::stop_token& stop);

/// Whether every id is one of the vocabulary and every token has a position. Errors: BadData naming the row.
Status checkTokens(const LaidOut& row, const Example& example, const ModelLimits& limits);

} // namespace assay
