#pragma once

#include "core/base/result.h"

#include <optional>
#include <string_view>

namespace assay {

constexpr std::size_t kForeignStartBytes = 32; ///< how much of a file `foreignFile` wants to see

/// A file that is another than its name says, by how it begins: the pointer of Git LFS that stands where the
/// file was not fetched, or a model of llama.cpp. The error has no place; none for anything else.
std::optional<Error> foreignFile(std::string_view start, ErrorCode code);

} // namespace assay
