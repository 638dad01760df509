#include "app/commands/commands.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace assay {

namespace {

class GuiCommand : public Command
{
public:
    std::string_view name() const override { return "gui"; }
    std::string_view summary() const override { return "Open the window on the store (starts assay-gui)"; }

    void declare(CLI::App& app) override
    {
        // From the first word on that is not ours, everything is the window's, --store included.
        app.prefix_command();
        app.fallthrough(false);
        app.footer(
            "Words after it are passed on: assay gui --screenshot run run.png. `assay-gui --help` lists "
            "what it takes.");
        m_app = &app;
    }

    Result<int> run(const Invocation& invocation) override
    {
        std::error_code code;
        const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
        const auto program = (self.parent_path() / "assay-gui").string();
        std::vector<std::string> words = {program, "--store", invocation.place.folder.string()};
        for (const auto& word : m_app->get_parent()->remaining(true))
            if (word != "--")
                words.push_back(word);
        std::vector<char*> arguments;
        for (auto& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execv(program.c_str(), arguments.data());
        return Error{ErrorCode::NotFound, fmt::format("Could not start the window: {}", std::strerror(errno)),
                     program, "Build the target assay-gui"};
    }

private:
    CLI::App* m_app = nullptr; ///< holds the words that are passed on
};

} // namespace

std::unique_ptr<Command> makeGuiCommand()
{
    return std::make_unique<GuiCommand>();
}

} // namespace assay
