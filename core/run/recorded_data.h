#pragma once

#include "core/base/result.h"

#include <initializer_list>
#include <string_view>

namespace assay {

/// Whether data files that a run recorded are still there; empty names are passed over. Errors: NotFound.
Status checkRecordedData(std::initializer_list<std::string_view> paths);

} // namespace assay
