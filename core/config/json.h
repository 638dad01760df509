#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class JsonDetail { All, ChangedOnly };

/// Flat object with the field ids as keys, in table order.
std::string configToJson(const ExperimentConfig& config, JsonDetail detail = JsonDetail::All);
/// Unknown keys are errors that name the nearest known key; missing keys keep what `base` has.
/// Errors: Usage, where = key.
Result<ExperimentConfig> configFromJson(std::string_view json, ExperimentConfig base = {});
/// Relative paths inside the file are taken relative to the file's folder. Errors: NotFound, Usage.
Result<ExperimentConfig> readExperiment(const std::filesystem::path& path, ExperimentConfig base = {});

/// A field in which two experiments differ.
struct ConfigDifference
{
    std::string id;
    std::string first, second;
};
std::vector<ConfigDifference> differences(const ExperimentConfig& first, const ExperimentConfig& second);

/// `assay train --data.train ... ` with what differs from the defaults, quoted for a POSIX shell.
std::string configAsCommand(const ExperimentConfig& config);

} // namespace assay
