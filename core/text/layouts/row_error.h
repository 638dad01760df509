#pragma once

#include "core/text/layout.h"

#include <string>

namespace assay {

/// Error of a row, with the row's name.
Error rowError(const Example& example, std::string message, std::string remedy = {});
/// Errors: BadData, naming the row, for a limit below 1.
Status checkLimits(const Example& example, const LayoutOptions& options);

} // namespace assay
