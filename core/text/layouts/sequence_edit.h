#pragma once

#include "core/text/layout.h"

#include <span>

namespace assay {

/// Appends tokens of one role; `step` is theirs, -1 = none.
void appendTokens(Sequence& sequence, std::span<const TokenId> ids, TokenRole role, std::int32_t step = -1);
/// Takes away the tokens [begin, begin + count).
void removeTokens(Sequence& sequence, std::int32_t begin, std::int32_t count);
std::int32_t countTokens(const Sequence& sequence, TokenRole role);

} // namespace assay
