#pragma once

#include "core/data/format.h"

namespace assay {

/// The formats, one per file; `builtin.cpp` lists them.
const DatasetFormat& stepwiseFormat();
const DatasetFormat& stepwiseTokenisedFormat();
const DatasetFormat& bigbenchMistakeFormat();
const DatasetFormat& demoRecipeFormat();
const DatasetFormat& mathApsFormat();
const DatasetFormat& mathShepherdFormat();
const DatasetFormat& mrBenFormat();
const DatasetFormat& openRFormat();
const DatasetFormat& prm800kFormat();
const DatasetFormat& prmBenchFormat();
const DatasetFormat& processBenchFormat();
const DatasetFormat& versaPrmFormat();
const DatasetFormat& preferenceTokenisedFormat();
const DatasetFormat& preferenceFormat();

} // namespace assay
