#include "core/text/layouts/row_error.h"

namespace assay {

Error rowError(const Example& example, std::string message, std::string remedy)
{
    const auto row = "row " + std::to_string(example.row + 1);
    return {ErrorCode::BadData, std::move(message),
            example.source.empty() ? row : example.source + ", " + row, std::move(remedy)};
}

Error templateError(const Example& example, const Error& fault)
{
    return rowError(example, "the conversation does not go through the chat template: " + fault.message,
                    fault.remedy);
}

Status checkLimits(const Example& example, const LayoutOptions& options)
{
    // Zero and negative limits keep everything, or cut from the wrong end, in the reference.
    for (const auto& [name, tokens] :
         {std::pair("maximum_tokens", options.maximumTokens),
          std::pair("maximum_prompt_tokens", options.maximumPromptTokens),
          std::pair("maximum_completion_tokens", options.maximumCompletionTokens)})
        if (tokens && *tokens < 1)
            return rowError(example,
                            std::string(name) + " is " + std::to_string(*tokens) +
                                ": nothing of the row is left",
                            "Choose a limit of 1 or more, or none");
    return {};
}

} // namespace assay
