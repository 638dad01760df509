#pragma once

#include "core/objective/objective.h"

namespace assay {

/// -(y log p1 + (1 - y) log p0) over two outputs; soft labels are first class.
std::unique_ptr<Objective> makeCrossEntropy(const ObjectiveOptions& options);
/// The same from one logit: softplus(-s) y + softplus(s) (1 - y).
std::unique_ptr<Objective> makeBinary(const ObjectiveOptions& options);

} // namespace assay
