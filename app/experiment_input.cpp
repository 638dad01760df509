#include "app/experiment_input.h"

#include "core/config/fields.h"
#include "core/config/json.h"

#include <fmt/format.h>

namespace assay {

Result<ExperimentConfig> experimentFrom(const std::filesystem::path& file, const Invocation& invocation)
{
    ExperimentConfig config;
    if (!file.empty()) {
        TRY(config, readExperiment(file));
    }
    TRY_STATUS(applySettings(config, invocation.settings));
    for (const auto& field : experimentFields()) {
        if (field.type != FieldType::Path)
            continue;
        const auto path = std::get<std::string>(field.read(config));
        if (!path.empty())
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
