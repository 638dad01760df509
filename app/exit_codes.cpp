#include "app/exit_codes.h"

#include "app/text.h"

#include <array>

namespace assay {

std::span<const ExitCode> exitCodes()
{
    static constexpr std::array kCodes = {
        ExitCode{0, "ok", "Done."},
        ExitCode{1, "internal", "A library failed in a way that was not foreseen; the message is its own."},
        ExitCode{2, "usage", "The request itself is wrong: unknown command, flag, setting or value."},
        ExitCode{3, "not-found", "A file, folder, run or checkpoint that was named does not exist."},
        ExitCode{4, "bad-data", "A data row or data file breaks the rules of its format."},
        ExitCode{5, "bad-model", "A model folder, weight file or tokenizer cannot be used."},
        ExitCode{6, "io", "Reading or writing failed."},
        ExitCode{7, "store", "The run store refused, is newer than this program, or is damaged."},
        ExitCode{
            8, "unsupported",
            "Understood, but outside what Assay does, or what this machine has (no display for the window)."},
        ExitCode{9, "blocked", "A red label check forbids the start; --run.override_reason overrides it."},
        ExitCode{10, "numeric", "Training met a value that is not finite."},
        ExitCode{11, "cancelled", "Stopped on request; a run that had begun was saved and can be resumed."},
        ExitCode{12, "out-of-memory", "There was not enough memory."},
    };
    return kCodes;
}

int exitCodeOf(ErrorCode code)
{
    const std::string_view name = errorCodeName(code);
    for (const auto& row : exitCodes())
        if (row.name == name)
            return row.number;
    return 1;
}

std::string exitCodeTable()
{
    TextTable table;
    table.columns = {{"code", TextAlign::Right}, {"name"}, {"meaning"}};
    for (const auto& row : exitCodes())
        table.rows.push_back({std::to_string(row.number), std::string(row.name), std::string(row.meaning)});
    return table.text();
}

} // namespace assay
