#pragma once

#include "core/base/result.h"
#include "core/data/example.h"

#include <string_view>

namespace assay {

/// One row that does not come from a file, as JSON text; without source and row number. Recognised by its
/// columns unless a format id is given. Errors: BadData; Unsupported (no format fits, or rows of the format
/// do not stand alone), Usage (unknown format).
Result<Example> readRow(std::string_view json, std::string_view format = {});

} // namespace assay
