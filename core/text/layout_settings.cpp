#include "core/text/layout_settings.h"

#include "core/base/check.h"

namespace assay {

namespace {

std::optional<std::int32_t> limitOf(std::optional<std::int64_t> tokens)
{
    return tokens ? std::optional(static_cast<std::int32_t>(*tokens)) : std::nullopt;
}

} // namespace

LayoutOptions layoutOptions(const LayoutConfig& config)
{
    LayoutOptions options;
    options.name = config.name;
    options.stepSeparator = config.stepSeparator;
    options.promptSeparator = config.promptSeparator;
    options.addBos = config.addBos;
    options.maximumTokens = limitOf(config.maximumTokens);
    const auto truncation = truncationFromId(config.truncation);
    CHECK(truncation, "truncation policy that the field table does not list");
    options.truncation = *truncation;
    options.trainOnLastStepOnly = config.trainOnLastStepOnly;
    options.maximumPromptTokens = limitOf(config.maximumPromptTokens);
    options.maximumCompletionTokens = limitOf(config.maximumCompletionTokens);
    options.appendEos = config.appendEos;
    options.parseSpecial = config.parseSpecial;
    if (config.name != "marker")
        return options;
    options.stepTag = config.stepTag;
    options.conversation = config.conversation;
    options.system = config.system;
    options.readBeforeTag = config.readBeforeTag;
    return options;
}

} // namespace assay
