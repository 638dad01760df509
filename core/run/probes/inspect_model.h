#pragma once

#include "core/run/probes/model_report.h"

namespace assay {

struct ModelFolder;

/// What an opened folder says of itself, without tokenizer and memory.
ModelReport reportOf(const ModelFolder& model);

/// Opens a model folder and says what it is: family, sizes, head, tokenizer, memory, and what the load did to
/// every tensor. Errors: NotFound, BadModel, Unsupported, OutOfMemory, Cancelled.
Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch& watch = {});

} // namespace assay
