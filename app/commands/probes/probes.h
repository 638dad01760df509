#pragma once

#include "app/command.h"

namespace assay {

// Commands that answer lines of JSON with lines of JSON, and the one that times; the table is in
// app/builtin.cpp.

std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeScoreCommand();
std::unique_ptr<Command> makeObjectiveCommand();
std::unique_ptr<Command> makeMetricsCommand();
std::unique_ptr<Command> makeTokenRewardsCommand();

} // namespace assay
