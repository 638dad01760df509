#pragma once

#include "app/command.h"

#include <string>
#include <vector>

namespace assay {

/// Parses the words after the program's name, runs the command they name and returns the exit code. Prints
/// help, results and errors itself.
int runCommandLine(std::vector<std::string> words);

} // namespace assay
