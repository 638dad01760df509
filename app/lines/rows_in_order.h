#pragma once

#include "core/data/dataset.h"

#include <functional>

namespace assay {

/// Visits the rows of a data set and what it refused, in the order of the file.
void visitInFileOrder(const Dataset& data, const std::function<void(const Example&)>& row,
                      const std::function<void(const RowProblem&)>& refused);

} // namespace assay
