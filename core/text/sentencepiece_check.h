#pragma once

#include "core/base/result.h"

#include <string_view>

namespace assay {

/// Looks a `.model` file over before the sentencepiece library sees it: the protobuf structure, sizes, piece
/// texts and scores, and the normaliser's double array, in which the library follows offsets without checking
/// them. Errors: BadModel with the reason (`where` is left to the caller).
Status checkSentencePieceModel(std::string_view bytes);

/// Of the library that is built in; empty where its build did not say.
std::string_view sentencePieceVersion();

} // namespace assay
