#pragma once

#include "core/base/result.h"
#include "core/text/layout.h"

namespace assay {

/// Whether every id is one of the vocabulary. Errors: BadData naming the row.
Status checkTokenIds(const LaidOut& row, const Example& example, std::int64_t vocabulary);

} // namespace assay
