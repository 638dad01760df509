#include "app/experiment_input.h"

#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/files/model_place.h"
#include "core/run/checkpoint_choice.h"

#include <fmt/format.h>

namespace assay {

namespace {

/// `base` with what the file and then the flags say.
Result<ExperimentConfig> settingsOver(ExperimentConfig base, const std::filesystem::path& file,
                                      const Invocation& invocation)
{
    if (!file.empty()) {
        TRY(base, readExperiment(file, std::move(base)));
    }
    TRY_STATUS(applySettings(base, invocation.settings));
    return base;
}

} // namespace

Result<ExperimentConfig> experimentFrom(const std::filesystem::path& file, const Invocation& invocation)
{
    TRY(auto config, settingsOver({}, file, invocation));
    if (config.backbone.source == "checkpoint" && !config.backbone.checkpoint.empty()) {
        // A model that is trained on keeps the layout it was trained with, as far as nothing else is said.
        TRY(const auto checkpoint, namedCheckpoint(invocation.place, config.backbone.checkpoint));
        ExperimentConfig base;
        base.layout = recordedConfig(checkpoint).layout;
        TRY(config, settingsOver(base, file, invocation));
        if (checkpoint.record.id == 0)
            config.backbone.checkpoint =
                std::filesystem::absolute(checkpoint.files.folder).lexically_normal().string();
    }
    for (const auto& field : experimentFields()) {
        if (field.type != FieldType::Path)
            continue;
        const auto path = std::get<std::string>(field.read(config));
        // The name of a model in a cache stays one, whatever folder a resume starts in.
        std::error_code ignored;
        const bool name = isModelName(path) && !std::filesystem::exists(path, ignored);
        if (!path.empty() && !name)
            field.write(config, std::filesystem::absolute(path).lexically_normal().string());
    }
    return config;
}

Status requireValid(const ExperimentConfig& config)
{
    const auto problems = validate(config);
    if (problems.empty())
        return {};
    std::string message =
        problems.size() == 1 ? "A setting is wrong" : fmt::format("{} settings are wrong", problems.size());
    for (const auto& problem : problems)
        message += fmt::format("\n  --{}: {}", problem.id, problem.message);
    return Error{ErrorCode::Usage, message, problems.front().id};
}

} // namespace assay
