#pragma once

#include "core/config/experiment.h"
#include "core/eval/report.h"
#include "core/model/model_config.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// The step tag of an experiment that asks for it as a token of its own.
struct StepTag
{
    std::string text;
    std::int64_t id = 0;
    bool added = false;   ///< to the tokenizer just now; its embedding is still to be made
    bool reused = false;  ///< an embedding that no token had takes it
    bool trained = false; ///< added now, or by the run that wrote this checkpoint
};

/// The tag of `config`, with `tokenizer` extended by it; none where nothing is asked for. `folder`: of the
/// model, empty for a new one. Errors: Usage, Unsupported.
Result<std::optional<StepTag>> findStepTag(const ExperimentConfig& config, TokenizerPtr& tokenizer,
                                           const std::filesystem::path& folder, std::int64_t vocabulary);

/// What became of the tag, in a sentence.
std::string stepTagText(const StepTag& tag);
/// The same as a line of the pre-flight report.
void noteStepTag(Report& report, const std::optional<StepTag>& tag);

} // namespace assay
