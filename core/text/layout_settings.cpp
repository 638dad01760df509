#include "core/text/layout_settings.h"

#include "core/base/check.h"

namespace assay {

LayoutOptions layoutOptions(const LayoutConfig& config)
{
    LayoutOptions options;
    options.name = config.name;
    options.stepSeparator = config.stepSeparator;
    options.promptSeparator = config.promptSeparator;
    options.addBos = config.addBos;
    options.maximumTokens = static_cast<std::int32_t>(config.maximumTokens);
    const auto truncation = truncationFromId(config.truncation);
    CHECK(truncation, "truncation policy that the field table does not list");
    options.truncation = *truncation;
    options.trainOnLastStepOnly = config.trainOnLastStepOnly;
    options.maximumPromptTokens = static_cast<std::int32_t>(config.maximumPromptTokens);
    options.maximumCompletionTokens = static_cast<std::int32_t>(config.maximumCompletionTokens);
    return options;
}

} // namespace assay
