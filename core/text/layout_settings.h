#pragma once

#include "core/config/experiment.h"
#include "core/text/layout.h"

namespace assay {

/// The layout that the settings of the group `layout` describe; they must have passed `validate`.
LayoutOptions layoutOptions(const LayoutConfig& config);

} // namespace assay
