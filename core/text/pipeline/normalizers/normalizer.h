#pragma once

#include "core/text/pipeline/component.h"
#include "core/text/unicode/aligned_text.h"

#include <memory>

namespace assay {

/// Changes a text before it is cut. Immutable.
class Normalizer
{
public:
    virtual ~Normalizer() = default;
    /// `text` is not empty.
    virtual AlignedText apply(AlignedText text) const = 0;
};

using NormalizerPtr = std::shared_ptr<const Normalizer>;

/// Errors: BadModel, Unsupported for a type that is not known.
Result<NormalizerPtr> makeNormalizer(const Component& component);

// One file for each that is more than a few lines.
Result<NormalizerPtr> makeBertNormalizer(const Component& component);
Result<NormalizerPtr> makePrecompiledNormalizer(const Component& component);
/// Replaces what `pattern` of the component (a String or a Regex) matches by its `content`.
Result<NormalizerPtr> makeReplaceNormalizer(const Component& component);

} // namespace assay
