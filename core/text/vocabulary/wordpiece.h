#pragma once

#include "core/text/vocabulary/token_model.h"

namespace assay {

struct WordPieceOptions
{
    std::string unknown = "[UNK]";
    std::string continuingPrefix = "##";
    std::int64_t maximumCharacters = 100; ///< a longer word is unknown
};

/// The longest piece first; a word that does not go up in pieces is unknown as a whole.
/// Errors: BadModel when the vocabulary lacks the unknown piece.
Result<TokenModelPtr> makeWordPiece(Vocabulary vocabulary, WordPieceOptions options);
/// Whole words only. Errors: BadModel when the vocabulary lacks the unknown piece.
Result<TokenModelPtr> makeWordLevel(Vocabulary vocabulary, const std::string& unknown);

} // namespace assay
