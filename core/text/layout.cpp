#include "core/text/layout.h"

#include "core/text/layouts/checked_layout.h"
#include "core/text/layouts/preference_layout.h"
#include "core/text/layouts/step_row.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

constexpr std::array<std::string_view, 5> kNames{"stepwise", "trl-stepwise", "marker", "pairwise",
                                                 "trl-pairwise"};
constexpr std::array<std::string_view, 3> kConversations{"none", "answer", "turns"};
/// In the order of their enumerations; the ids of the field table.
constexpr std::array<std::string_view, 7> kRoles{"bos",    "prompt", "step", "separator",
                                                 "answer", "eos",    "given"};
constexpr std::array<std::string_view, 4> kTruncations{"drop-row", "cut-prompt-left", "cut-right", "fail"};

Status checkOptions(const LayoutOptions& options)
{
    const auto refuse = [](std::string message) {
        return Error{ErrorCode::Usage, std::move(message), "layout", ""};
    };
    for (const auto& [name, tokens] :
         {std::pair("maximum_prompt_tokens", options.maximumPromptTokens),
          std::pair("maximum_completion_tokens", options.maximumCompletionTokens)}) {
        if (tokens && options.name != "trl-stepwise")
            return refuse(std::string(name) + " is a setting of the layout trl-stepwise");
    }
    if (options.name != "marker")
        return {};
    if (std::find(kConversations.begin(), kConversations.end(), options.conversation) == kConversations.end())
        return refuse("conversation is none, answer or turns, not \"" + options.conversation + "\"");
    if (options.stepTag.empty())
        return refuse("the layout marker needs a step tag");
    if (options.conversation != "turns" && options.stepSeparator.find(options.stepTag) == std::string::npos)
        return refuse("the step separator does not hold the step tag " + options.stepTag);
    if (options.conversation != "none" && options.truncation == Truncation::CutPromptLeft)
        return refuse("a conversation cannot be cut on the left: its beginning belongs to the chat template");
    return {};
}

/// Null for a name that is not known.
LayoutPtr makeNamed(const LayoutOptions& options, TokenizerPtr tokenizer)
{
    auto effective = options;
    if (options.name == "pairwise")
        return makePairwiseLayout(std::move(effective), std::move(tokenizer));
    if (options.name == "trl-pairwise")
        return makeTrlPairwiseLayout(std::move(effective), std::move(tokenizer));
    // Not settings of the layouts for steps; what they report and store is what they do.
    effective.appendEos = false;
    effective.parseSpecial = false;
    if (options.name == "stepwise")
        return makeStepwiseLayout(std::move(effective), std::move(tokenizer));
    if (options.name == "trl-stepwise") {
        effective.addBos = true;
        effective.promptSeparator.clear();
        return makeTrlStepwiseLayout(std::move(effective), std::move(tokenizer));
    }
    return options.name == "marker" ? makeMarkerLayout(std::move(effective), std::move(tokenizer)) : nullptr;
}

} // namespace

std::string_view tokenRoleId(TokenRole role)
{
    return kRoles.at(static_cast<std::size_t>(role));
}

std::string_view truncationId(Truncation truncation)
{
    return kTruncations.at(static_cast<std::size_t>(truncation));
}

std::optional<Truncation> truncationFromId(std::string_view id)
{
    for (std::size_t i = 0; i < kTruncations.size(); ++i)
        if (kTruncations[i] == id)
            return static_cast<Truncation>(i);
    return {};
}

std::span<const std::string_view> conversationNames()
{
    return kConversations;
}

std::span<const std::string_view> layoutNames()
{
    return kNames;
}

Result<LayoutPtr> makeLayout(const LayoutOptions& options, TokenizerPtr tokenizer)
{
    TRY_STATUS(checkOptions(options));
    auto layout = makeNamed(options, std::move(tokenizer));
    if (!layout)
        return Error{ErrorCode::Usage, "unknown layout " + options.name, "layout.name",
                     "Choose stepwise, trl-stepwise, marker, pairwise or trl-pairwise"};
    return withTextFaults(std::move(layout));
}

} // namespace assay
