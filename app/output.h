#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace assay {

/// A line (or several) on standard output.
void print(std::string_view text);
/// One JSON value on one line of standard output; bytes that are no UTF-8 are replaced.
void printJsonLine(const nlohmann::ordered_json& json);
/// The same, indented: the one result of a command.
void printJson(const nlohmann::ordered_json& json);
/// A line on standard error.
void printNote(std::string_view text);
/// Prints the error to standard error, and with `json` as {"error": {...}} to standard output; returns its
/// exit code.
int printError(const Error& error, bool json);

} // namespace assay
