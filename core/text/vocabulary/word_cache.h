#pragma once

#include "core/text/vocabulary/token_model.h"

namespace assay {

/// Bounds of the memory that a word cache takes: places for words, and what fits into one.
struct WordCacheLimits
{
    static constexpr std::size_t kWords = std::size_t{1} << 15;
    static constexpr std::size_t kWordBytes = 30;
    static constexpr std::size_t kTokens = 12;
};

/// The same model with a memory of the words that it cut last: languages repeat their words. A word that is
/// too long or has too many tokens goes to the model every time. Safe to use from several threads.
TokenModelPtr withWordCache(TokenModelPtr model);

} // namespace assay
