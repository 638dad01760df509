#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace assay {

/// Labelled steps of a data set that occur more than once: with the same prompt and the same steps before
/// them. Copies of preferences are found by the checks of pairs.
struct DuplicateCount
{
    std::int64_t labelled = 0;      ///< supervised steps
    std::int64_t repeated = 0;      ///< those beyond the first of their kind
    std::int64_t conflicting = 0;   ///< those whose kind is labelled both ways: noise no model can get below
    std::vector<std::int64_t> rows; ///< rows of the file with a conflict, in order

    double repeatedShare() const { return share(repeated); }
    double conflictingShare() const { return share(conflicting); }

private:
    double share(std::int64_t part) const { return labelled > 0 ? double(part) / double(labelled) : 0.0; }
};

/// Counts by 64-bit hashes of whole texts. Labels of at least 0.5 are one side. A stopped count covers the
/// rows it has seen.
DuplicateCount countDuplicates(const Dataset& dataset, const std::stop_token& stop = {});

} // namespace assay
