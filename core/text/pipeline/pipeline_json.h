#pragma once

#include "core/text/pipeline/pipeline_tokenizer.h"

namespace assay {

/// Builds the pipeline that the object of a `tokenizer.json` describes (special tokens excepted).
/// Errors: BadModel, Unsupported, with the path of the component.
Result<Pipeline> pipelineFromJson(const nlohmann::json& json);

/// The model of such an object. `byteLevel`: words are bytes.
Result<TokenModelPtr> makeTokenModel(const Component& component, bool byteLevel);

} // namespace assay
