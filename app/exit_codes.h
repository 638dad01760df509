#pragma once

#include "core/base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// A row of the exit code table.
struct ExitCode
{
    int number = 0;
    std::string_view name; ///< the stable word of the error code; "ok" for 0
    std::string_view meaning;
};

/// 0 and one row for every ErrorCode, ordered by number; numbers never change.
std::span<const ExitCode> exitCodes();
int exitCodeOf(ErrorCode code);
/// The table as `assay help exit-codes` prints it and the README shows it.
std::string exitCodeTable();

} // namespace assay
