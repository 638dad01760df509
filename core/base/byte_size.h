#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>

namespace assay {

/// "5GB", "500MB", "2GiB", "4096": bytes. Errors: Usage naming `where`.
Result<std::uint64_t> parseByteSize(std::string_view text, std::string_view where);

} // namespace assay
