#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// `--optimiser.learning_rate 1e-4` as it stood on the command line.
struct SettingFlag
{
    std::string id;
    std::string text;
};

/// Groups of the field table in its order: every one that a training command takes.
std::vector<std::string_view> allSettingGroups();

/// Takes the flags of known fields of `groups` out of `words` (without the program's name). They are read
/// here and not by the option parser, which would unpack "[a,b]". A yes-or-no field needs no value; a value
/// that begins with
/// "--" is written after an equals sign.
/// Errors: Usage (a value is missing, the flag stands twice).
Result<std::vector<SettingFlag>> takeSettings(std::vector<std::string>& words,
                                              std::span<const std::string_view> groups);

/// Sets the fields on top of `config`. Errors: Usage naming the flag and what is allowed.
Status applySettings(ExperimentConfig& config, std::span<const SettingFlag> flags);

/// The text with `--` before every name of a setting: the window's "data.bad_rows" is a flag here. Names
/// behind a slash or a quotation mark are left: they are files and keys.
std::string settingsAsFlags(std::string_view text);

/// Every flag of the groups with type, help, unit, range, choices, default and condition, grouped.
std::string settingsHelp(std::span<const std::string_view> groups);

} // namespace assay
