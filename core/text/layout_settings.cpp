#include "core/text/layout_settings.h"

#include "core/base/check.h"

#include <string_view>
#include <utility>

namespace assay {

namespace {

Truncation truncationOf(std::string_view id)
{
    static constexpr std::pair<std::string_view, Truncation> kPolicies[] = {
        {"drop-row", Truncation::DropRow},
        {"cut-prompt-left", Truncation::CutPromptLeft},
        {"cut-right", Truncation::CutRight},
        {"fail", Truncation::Fail}};
    for (const auto& [name, policy] : kPolicies)
        if (name == id)
            return policy;
    CHECK(false, "truncation policy that the field table does not list");
    return Truncation::Fail;
}

} // namespace

LayoutOptions layoutOptions(const LayoutConfig& config)
{
    LayoutOptions options;
    options.name = config.name;
    options.stepSeparator = config.stepSeparator;
    options.promptSeparator = config.promptSeparator;
    options.addBos = config.addBos;
    options.maximumTokens = static_cast<std::int32_t>(config.maximumTokens);
    options.truncation = truncationOf(config.truncation);
    options.trainOnLastStepOnly = config.trainOnLastStepOnly;
    options.maximumPromptTokens = static_cast<std::int32_t>(config.maximumPromptTokens);
    options.maximumCompletionTokens = static_cast<std::int32_t>(config.maximumCompletionTokens);
    return options;
}

} // namespace assay
