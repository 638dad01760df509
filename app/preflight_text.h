#pragma once

#include "app/command.h"
#include "core/run/session.h"

namespace assay {

/// A side has no row left: then nothing can start, whatever reason is given.
bool nothingLeft(const Preflight& preflight);

/// What is known before a run starts, on standard output: label checks, sizes, memory and time. Returns the
/// exit code: that of a blocked start where red checks would block it.
int printPreflight(const Invocation& invocation, const ExperimentConfig& config, const Preflight& preflight,
                   const std::optional<StepProbe>& probe);

} // namespace assay
