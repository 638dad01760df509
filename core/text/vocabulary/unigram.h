#pragma once

#include "core/text/vocabulary/token_model.h"

namespace assay {

/// The most probable cut of a word into pieces, each with a logarithm of its probability.
/// `scores` [vocabulary size]; `unknown` stands for characters that no piece has.
/// Errors: BadModel for scores that are not finite or an unknown id outside the vocabulary.
Result<TokenModelPtr> makeUnigram(Vocabulary vocabulary, std::vector<double> scores,
                                  std::optional<TokenId> unknown, bool byteFallback);

} // namespace assay
