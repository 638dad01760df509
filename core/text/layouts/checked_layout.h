#pragma once

#include "core/text/layout.h"

namespace assay {

/// The same layout; a row whose text the tokenizer could not treat as it describes (see TextFaults) is an
/// error.
LayoutPtr withTextFaults(LayoutPtr layout);

} // namespace assay
