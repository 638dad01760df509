#include "app/commands/runs/run_edits.h"

#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

struct RunEditCommands::Word
{
    const char* name;
    const char* help;
    const char* textName; ///< what stands beside the runs; empty = nothing
    const char* textHelp;
    bool oneRun; ///< then the run comes first
    void (*set)(RunEdit& edit, const std::string& text);
    const char* done;
};

const std::vector<RunEditCommands::Word>& RunEditCommands::words()
{
    using Text = const std::string&;
    static const std::vector<Word> table{
        {"tag", "Add a tag to runs", "TAG", "The tag", false,
         [](RunEdit& edit, Text text) { edit.addTags = {text}; }, "Tagged"},
        {"untag", "Take a tag off runs", "TAG", "The tag", false,
         [](RunEdit& edit, Text text) { edit.removeTags = {text}; }, "Took the tag off"},
        {"note", "Write the note of a run; an empty text removes it", "TEXT", "The note", true,
         [](RunEdit& edit, Text text) { edit.note = text; }, "Noted"},
        {"rename", "Give a run another name", "NAME", "The name", true,
         [](RunEdit& edit, Text text) { edit.name = text; }, "Renamed"},
        {"archive", "Hide runs from the list unless it is asked for archived ones", "", "", false,
         [](RunEdit& edit, Text) { edit.archived = true; }, "Archived"},
        {"unarchive", "Bring archived runs back into the list", "", "", false,
         [](RunEdit& edit, Text) { edit.archived = false; }, "Brought back"},
        {"delete", "Hide runs everywhere; their rows and artefacts stay, and restore brings them back", "",
         "", false, [](RunEdit& edit, Text) { edit.deleted = true; }, "Deleted"},
        {"restore", "Bring deleted runs back, named by id", "", "", false,
         [](RunEdit& edit, Text) { edit.deleted = false; }, "Restored"},
    };
    return table;
}

void RunEditCommands::declare(CLI::App& runs)
{
    runs.require_subcommand(0, 1);
    for (const auto& word : words()) {
        auto* command = runs.add_subcommand(word.name, word.help);
        command->fallthrough();
        const auto addText = [&] { command->add_option(word.textName, m_text, word.textHelp)->required(); };
        if (*word.textName && !word.oneRun)
            addText();
        command->add_option("RUN", m_runs, "Id, beginning of one, name, or last")
            ->required()
            ->expected(1, word.oneRun ? 1 : 100'000)
            ->allow_extra_args(!word.oneRun); // else a list would take the text as well
        if (*word.textName && word.oneRun)
            addText();
        command->callback([this, &word] { m_given = &word; });
    }
}

Result<int> RunEditCommands::run(const Invocation& invocation) const
{
    markInterrupted(invocation.place); // a run whose process is gone may be deleted
    TRY(const auto reader, RunReader::open(invocation.place));
    std::vector<RunEdit> edits;
    for (const auto& text : m_runs) {
        RunEdit edit;
        TRY(edit.run, reader->findRun(text));
        m_given->set(edit, m_text);
        edits.push_back(std::move(edit));
    }
    TRY(const auto editor, RunEditor::open(invocation.place));
    TRY(const auto inverse, editor->applyAll(edits));
    std::vector<RunSummary> edited;
    for (const auto& edit : edits) {
        TRY(auto details, reader->run(edit.run));
        edited.push_back(std::move(details.summary));
    }
    if (invocation.json) {
        printJson({{"edited", toJsonList(edited)}});
        return 0;
    }
    for (const auto& run : edited)
        print(fmt::format("{}: {} {}", m_given->done, run.id, plainText(run.name)));
    return 0;
}

} // namespace assay
