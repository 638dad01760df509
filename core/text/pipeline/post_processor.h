#pragma once

#include "core/text/pipeline/component.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary/vocabulary.h"

#include <memory>

namespace assay {

/// Puts special tokens around one text or two, and corrects offsets. Immutable.
class PostProcessor
{
public:
    virtual ~PostProcessor() = default;
    virtual TemplatedPieces apply(TemplatedPieces pieces, bool pair) const = 0;
    /// What it does to the pieces of a text even without special tokens.
    virtual std::vector<TokenPiece> corrected(std::vector<TokenPiece> pieces) const { return pieces; }
};

using PostProcessorPtr = std::shared_ptr<const PostProcessor>;

/// Errors: BadModel, Unsupported for a type that is not known.
Result<PostProcessorPtr> makePostProcessor(const Component& component);

} // namespace assay
