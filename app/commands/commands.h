#pragma once

#include "app/command.h"

namespace assay {

// One file per command; the table is in app/builtin.cpp.

std::unique_ptr<Command> makeDemoCommand();
std::unique_ptr<Command> makeTrainCommand();
std::unique_ptr<Command> makeResumeCommand();
std::unique_ptr<Command> makeEvalCommand();
std::unique_ptr<Command> makeRunsCommand();
std::unique_ptr<Command> makeShowCommand();
std::unique_ptr<Command> makeModelCommand();
std::unique_ptr<Command> makeTokenizeCommand();
std::unique_ptr<Command> makeExportCommand();
std::unique_ptr<Command> makeDataCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeGuiCommand();
std::unique_ptr<Command> makeHelpCommand();

} // namespace assay
