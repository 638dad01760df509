#pragma once

#include "core/text/pipeline/post_processor.h"

namespace assay {

/// The template that the component spells out. Errors (all): BadModel.
Result<PostProcessorPtr> makeTemplateProcessor(const Component& component);
/// [CLS] a [SEP] b [SEP]
Result<PostProcessorPtr> makeBertProcessor(const Component& component);
/// <s> a </s></s> b </s>, all of type 0
Result<PostProcessorPtr> makeRobertaProcessor(const Component& component);

} // namespace assay
