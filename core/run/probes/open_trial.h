#pragma once

#include "core/run/probes/model_report.h"
#include "core/run/probes/model_trial.h"

#include <memory>

namespace assay {

/// Opens a model folder for scoring, or with its tokenizer alone where it cannot score. Errors: NotFound, and
/// that of the scorer where there is no tokenizer either.
Result<std::shared_ptr<ModelTrial>> openTrial(const ModelRequest& request);

} // namespace assay
