#pragma once

#include <string_view>

namespace assay {

/// Messages for the person who looks at the terminal or the log file; never the only place an error is told.
void logInfo(std::string_view message);
void logWarning(std::string_view message);
void logError(std::string_view message);

} // namespace assay
