#include "app/commands/commands.h"
#include "app/exit_codes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "core/base/nearest_word.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

/// `assay help` and `assay help COMMAND` are answered before the parser runs; what arrives here is another
/// topic.
class HelpCommand : public Command
{
public:
    std::string_view name() const override { return "help"; }
    std::string_view summary() const override { return "Help on a command, or on the topic exit-codes"; }

    void declare(CLI::App& app) override
    {
        app.add_option("TOPIC", m_topic, "A command, or exit-codes")->required();
    }

    Result<int> run(const Invocation& invocation) override
    {
        if (m_topic != "exit-codes") {
            std::vector<std::string> names = {"exit-codes"};
            for (const auto& command : builtinCommands())
                names.emplace_back(command->name());
            const std::vector<std::string_view> views(names.begin(), names.end());
            const auto slip = didYouMean(m_topic, views);
            return Error{ErrorCode::Usage,
                         fmt::format("There is no help on \"{}\"", m_topic),
                         {},
                         slip.empty() ? "`assay --help` lists the commands; exit-codes is a topic" : slip};
        }
        if (!invocation.json) {
            print(exitCodeTable());
            return 0;
        }
        Json rows = Json::array();
        for (const auto& row : exitCodes())
            rows.push_back({{"exit_code", row.number}, {"code", row.name}, {"meaning", row.meaning}});
        printJson({{"exit_codes", rows}});
        return 0;
    }

private:
    std::string m_topic;
};

} // namespace

std::unique_ptr<Command> makeHelpCommand()
{
    return std::make_unique<HelpCommand>();
}

} // namespace assay
