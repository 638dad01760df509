#include "app/command_line.h"

#include "app/exit_codes.h"
#include "app/output.h"
#include "core/base/nearest_word.h"
#include "core/config/fields.h"
#include "core/data/stream/streamed_dataset.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace assay {

namespace {

constexpr const char* kDescription =
    "Assay trains, tests and explains reward models. `assay COMMAND --help` lists what a command takes.";

/// The parser with every command declared on it.
struct Parser
{
    CLI::App app{kDescription, "assay"};
    std::vector<std::unique_ptr<Command>> commands = builtinCommands();
    std::string store;
    bool json = false;

    Parser()
    {
        app.add_option("--store", store,
                       "Folder of the run store; default $ASSAY_STORE, else $XDG_DATA_HOME/assay, else "
                       "~/.local/share/assay");
        app.add_flag("--json", json, "Print the result as JSON with stable keys");
        app.set_version_flag("--version", "assay " ASSAY_VERSION);
        app.fallthrough();
        app.allow_extras(); // named by leftOver
        app.require_subcommand(0, 1);
        app.footer("`assay help exit-codes` prints the exit codes.");
        for (const auto& command : commands) {
            CLI::App* sub = app.add_subcommand(std::string(command->name()), std::string(command->summary()));
            command->declare(*sub);
            const auto groups = command->settingGroups();
            if (groups.empty())
                continue;
            const auto settings =
                "Settings (JSON keys of an experiment file are the same without the dashes):\n\n" +
                settingsHelp(groups);
            sub->footer(settings);
            for (auto* inner : sub->get_subcommands(nullptr))
                inner->footer(settings);
        }
    }

    Command* find(std::string_view name) const
    {
        for (const auto& command : commands)
            if (command->name() == name)
                return command.get();
        return nullptr;
    }
};

/// Long names of every option that `app` itself has.
void addFlagNames(const CLI::App& app, std::vector<std::string>& names)
{
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames())
            names.push_back("--" + name);
}

Error unknownCommand(const Parser& parser, const std::string& word)
{
    std::vector<std::string_view> names;
    for (const auto& command : parser.commands)
        names.push_back(command->name());
    const auto slip = didYouMean(word, names);
    return {ErrorCode::Usage,
            fmt::format("There is no command \"{}\"", word),
            {},
            slip + (slip.empty() ? "" : " ") + "`assay --help` lists all"};
}

/// What was left over: a flag nobody knows, or a word too many.
Error leftOver(const Parser& parser, const Command& command, const CLI::App& sub,
               const std::vector<std::string>& rest)
{
    const auto isFlag = [](const std::string& candidate) { return candidate.starts_with("-"); };
    const auto flagged = std::find_if(rest.begin(), rest.end(), isFlag);
    const std::string& word = flagged == rest.end() ? rest.front() : *flagged;
    if (!word.starts_with("-"))
        return {ErrorCode::Usage,
                fmt::format("\"{}\" is one word too many", word),
                {},
                fmt::format("`assay {} --help` shows what it takes", command.name())};
    std::vector<std::string> names;
    addFlagNames(parser.app, names);
    addFlagNames(sub, names);
    for (const auto* inner : sub.get_subcommands(nullptr))
        addFlagNames(*inner, names);
    const auto groups = command.settingGroups();
    for (const auto& field : experimentFields())
        if (std::find(groups.begin(), groups.end(), field.group()) != groups.end())
            names.push_back("--" + std::string(field.id));
    const auto flag = word.substr(0, word.find('='));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto slip = didYouMean(flag, views);
    return {ErrorCode::Usage,
            fmt::format("\"assay {}\" has no flag \"{}\"", command.name(), flag),
            {},
            slip.empty() ? fmt::format("`assay {} --help` lists its flags", command.name()) : slip};
}

/// The first word that is no flag and no value of a global flag.
std::string commandWord(const std::vector<std::string>& words)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--store")
            ++i;
        else if (!words[i].starts_with("-"))
            return words[i];
    }
    return {};
}

Result<int> parseAndRun(Parser& parser, std::vector<std::string> words)
{
    const std::string name = commandWord(words);
    Command* command = parser.find(name);
    if (!name.empty() && !command)
        return unknownCommand(parser, name);
    Invocation invocation;
    if (command) {
        const auto groups = command->settingGroups();
        TRY(invocation.settings, takeSettings(words, groups));
    }
    CLI::App* sub = command ? parser.app.get_subcommand(name) : nullptr;
    try {
        std::reverse(words.begin(), words.end());
        parser.app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        print(sub ? sub->help("assay") : parser.app.help());
        return 0;
    } catch (const CLI::CallForVersion&) {
        print("assay " ASSAY_VERSION);
        return 0;
    } catch (const CLI::ParseError& error) {
        // An unknown flag explains a missing argument better than the other way round.
        if (const auto rest = parser.app.remaining(true); sub && !rest.empty())
            return leftOver(parser, *command, *sub, rest);
        return Error{
            ErrorCode::Usage, error.what(), {}, fmt::format("`assay {} --help` shows what it takes", name)};
    }
    if (!command) {
        print(parser.app.help());
        return 0;
    }
    // A command that passes its words on takes what is left over.
    if (const auto rest = parser.app.remaining(true); !rest.empty() && !sub->get_prefix_command())
        return leftOver(parser, *command, *sub, rest);
    invocation.json = parser.json;
    invocation.place = parser.store.empty() ? StorePlace::standard() : StorePlace{parser.store};
    // Absolute, so that a message that names the store can be understood anywhere.
    invocation.place.folder = std::filesystem::absolute(invocation.place.folder).lexically_normal();
    std::error_code ignored;
    if (!parser.store.empty() && std::filesystem::exists(invocation.place.folder, ignored) &&
        !std::filesystem::is_directory(invocation.place.folder, ignored))
        return Error{ErrorCode::Usage, "The store is a folder, and this is a file",
                     invocation.place.folder.string(), "Name a folder with --store"};
    try {
        return command->run(invocation);
    } catch (const RowUnreadable& unreadable) { // the file changed while its rows were used
        return unreadable.error();
    }
}

} // namespace

int runCommandLine(std::vector<std::string> words)
{
    Parser parser;
    // `assay help train` is `assay train --help`.
    if (!words.empty() && words.front() == "help" && (words.size() == 1 || parser.find(words[1])))
        words = words.size() == 1 ? std::vector<std::string>{} : std::vector<std::string>{words[1], "--help"};
    // Known before parsing, so that an error of the parser itself comes as JSON too.
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    const auto result = parseAndRun(parser, std::move(words));
    return result.ok() ? *result : printError(result.error(), json);
}

} // namespace assay
