#pragma once

#include "core/text/pipeline/component.h"
#include "core/text/unicode/aligned_text.h"
#include "core/text/unicode/pattern.h"

#include <memory>
#include <vector>

namespace assay {

/// A text and how it is cut: pieces ascending, none empty. What lies between them is left out.
struct CutText
{
    AlignedText text;
    std::vector<ByteRange> pieces;
};

/// Cuts a text into words. Immutable.
class PreTokenizer
{
public:
    virtual ~PreTokenizer() = default;
    virtual CutText apply(CutText cut) const = 0;
};

using PreTokenizerPtr = std::shared_ptr<const PreTokenizer>;

/// A pre-tokenizer, and whether the words that come out of it are bytes in the byte alphabet.
struct MadePreTokenizer
{
    PreTokenizerPtr preTokenizer;
    bool byteLevel = false;
};

/// Errors: BadModel, Unsupported for a type that is not known.
Result<MadePreTokenizer> makePreTokenizer(const Component& component);

enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// Cuts one piece at the matches in it; `inverted` takes what lies between for matches.
std::vector<ByteRange> splitPiece(ByteRange piece, const std::vector<ByteRange>& matches,
                                  SplitBehavior behavior, bool inverted);

/// Cuts at a regular expression or a text.
PreTokenizerPtr makePatternSplit(Pattern pattern, SplitBehavior behavior, bool inverted);
/// GPT-2's expression, which byte-level vocabularies use unless they say otherwise.
PreTokenizerPtr makeByteLevelSplit(bool addPrefixSpace, bool useRegex);
Result<PreTokenizerPtr> makeMetaspace(const Component& component);

} // namespace assay
