#pragma once

#include "core/text/unicode/aligned_text.h"
#include "core/text/vocabulary/vocabulary.h"

#include <memory>
#include <string_view>
#include <vector>

namespace assay {

/// A token and the bytes of the word that it stands for.
struct ModelToken
{
    TokenId id = 0;
    ByteRange range;
};

/// Cuts one word, as the pre-tokenizer left it, into pieces of a vocabulary. Immutable.
class TokenModel
{
public:
    virtual ~TokenModel() = default;
    virtual std::vector<ModelToken> tokenize(std::string_view word) const = 0;
    virtual const Vocabulary& vocabulary() const = 0;
};

using TokenModelPtr = std::shared_ptr<const TokenModel>;

} // namespace assay
