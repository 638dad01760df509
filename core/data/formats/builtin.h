#pragma once

#include "core/data/format.h"

namespace assay {

/// The formats, one per file; `builtin.cpp` lists them.
const DatasetFormat& stepwiseFormat();
const DatasetFormat& stepwiseTokenisedFormat();
const DatasetFormat& bigbenchMistakeFormat();
const DatasetFormat& demoRecipeFormat();
const DatasetFormat& preferenceTokenisedFormat();
const DatasetFormat& preferenceFormat();

} // namespace assay
