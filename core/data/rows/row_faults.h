#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>

namespace assay {

/// Nothing but blanks and line ends.
bool isBlank(std::string_view text);

/// "the line has 104857612 bytes; a row may have 16777216". `what` names the piece: line, row.
Error tooLongRow(std::string_view what, std::size_t bytes, std::size_t maximumBytes);

} // namespace assay
