#pragma once

#include "core/config/experiment.h"
#include "core/run/session.h"
#include "core/text/layout.h"

namespace assay {

/// A laid-out row as the token view shows it. `tokenizer` may be absent: pieces are then the ids.
TokenView tokenViewOf(const LaidOut& row, const Tokenizer* tokenizer);

/// Row `row` of the experiment's training file. Errors: as opening and laying out; Usage when there is no
/// such row.
Result<TokenView> tokenViewOfRow(const ExperimentConfig& config, std::int64_t row);

/// A stored example, laid out as its run did and with the labels of the run's newest evaluation.
Result<TokenView> tokenViewOfExample(const RunReader& reader, const RunId& run, const std::string& exampleId);

} // namespace assay
