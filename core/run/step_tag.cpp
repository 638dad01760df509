#include "core/run/step_tag.h"

#include "core/text/opening/new_token.h"
#include "core/train/checkpoint.h"

#include <fmt/format.h>

namespace assay {

Result<std::optional<StepTag>> findStepTag(const ExperimentConfig& config, TokenizerPtr& tokenizer,
                                           const std::filesystem::path& folder, std::int64_t vocabulary)
{
    if (config.layout.name != "marker" || !config.layout.addStepTag)
        return std::optional<StepTag>();
    if (!tokenizer)
        return Error{ErrorCode::Usage, "the model has no tokenizer that a tag could be added to",
                     "layout.add_step_tag", "Add the model's tokenizer to its folder"};
    const auto place = folder.empty() ? std::filesystem::path(config.backbone.tokenizer) : folder;
    TRY(auto tagged, withNewToken(tokenizer, place, config.layout.stepTag));
    StepTag tag{config.layout.stepTag, tagged.id, tagged.added, tagged.added && tagged.id < vocabulary,
                tagged.added};
    if (tag.added && !folder.empty() && tag.id > vocabulary)
        return Error{ErrorCode::BadModel,
                     fmt::format("the tokenizer has {} tokens, the model embeds {}: a new one has no place",
                                 tag.id, vocabulary),
                     folder.string(), "Take the tokenizer that belongs to the model"};
    if (!tag.added && !folder.empty()) {
        const auto position = readTrainingPosition(folder); // other models have none
        tag.trained = position.ok() && position->newToken == tag.id;
    }
    tokenizer = std::move(tagged.tokenizer);
    return std::optional(std::move(tag));
}

std::string stepTagText(const StepTag& tag)
{
    if (tag.added)
        return fmt::format(
            "\"{}\" becomes token {}: {}, which begins as the mean of those before it.", tag.text, tag.id,
            tag.reused ? "it takes an embedding that no token had" : "the model gets one embedding more");
    if (tag.trained)
        return fmt::format("\"{}\" is token {}, which training has added.", tag.text, tag.id);
    return fmt::format("\"{}\" is already one token ({}): nothing is added.", tag.text, tag.id);
}

void noteStepTag(Report& report, const std::optional<StepTag>& tag)
{
    for (auto& table : report.tables)
        if (tag && table.id == "checks_passed")
            table.rows.insert(table.rows.begin(), {"step_tag", "Step tag", stepTagText(*tag)});
}

} // namespace assay
