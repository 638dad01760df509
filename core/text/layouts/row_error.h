#pragma once

#include "core/text/layout.h"

#include <string>

namespace assay {

/// Error of a row, with the row's name.
Error rowError(const Example& example, std::string message, std::string remedy = {});
/// Error of a row that a chat template did not write, with what the template's own error advises.
Error templateError(const Example& example, const Error& fault);
/// Errors: BadData, naming the row, for a limit below 1.
Status checkLimits(const Example& example, const LayoutOptions& options);

} // namespace assay
