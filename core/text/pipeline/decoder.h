#pragma once

#include "core/text/pipeline/component.h"

#include <memory>
#include <string>
#include <vector>

namespace assay {

/// Turns pieces back into text, step by step. Immutable.
class Decoder
{
public:
    virtual ~Decoder() = default;
    virtual std::vector<std::string> apply(std::vector<std::string> pieces) const = 0;
};

using DecoderPtr = std::shared_ptr<const Decoder>;

/// Errors: BadModel, Unsupported for a type that is not known.
Result<DecoderPtr> makeDecoder(const Component& component);

} // namespace assay
