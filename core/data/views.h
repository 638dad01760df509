#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <vector>

namespace assay {

/// The rows `indices` of another data set, in that order; `problems` are what the subset says was refused.
DatasetPtr subset(DatasetPtr source, std::vector<std::int64_t> indices,
                  std::vector<RowProblem> problems = {});
/// One data set after another.
DatasetPtr concat(std::vector<DatasetPtr> sources);

/// Row indices of the two sides of a split; no prompt group is on both sides.
struct Split
{
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> evaluation;
    /// SHA-256 over the sorted content ids of both sides, so that another run can prove it used the same
    /// split.
    std::string hash;
};

/// Deterministic split by prompt group: groups are ordered by a hash of (seed, group) and moved to the
/// evaluation side until it holds `evaluationShare` of the rows.
/// Errors: BadData when there are fewer than two groups.
Result<Split> splitByGroup(const Dataset& dataset, double evaluationShare, std::uint64_t seed);

} // namespace assay
