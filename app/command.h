#pragma once

#include "app/setting_flags.h"
#include "core/base/result.h"
#include "core/store/run_store.h"

#include <memory>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace assay {

/// What every command gets beside its own options.
struct Invocation
{
    StorePlace place;
    bool json = false;
    std::vector<SettingFlag> settings; ///< `--group.field value` flags, in the order given
};

/// One command of `assay`: declares its options, then runs. Options are members of the command.
class Command
{
public:
    virtual ~Command() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0;
    /// Groups of the field table whose flags the command takes; empty = none.
    virtual std::vector<std::string_view> settingGroups() const { return {}; }
    virtual void declare(CLI::App& app) = 0;
    /// Returns the exit code; an error is printed by the caller and becomes its own code.
    virtual Result<int> run(const Invocation& invocation) = 0;
};

/// Every command, in the order in which the help lists them.
std::vector<std::unique_ptr<Command>> builtinCommands();

} // namespace assay
