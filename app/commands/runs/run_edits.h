#pragma once

#include "app/command.h"
#include "core/store/run_store.h"

#include <string>
#include <vector>

namespace assay {

/// The subcommands of `assay runs` that change what people say about runs: tag, untag, note, rename, archive,
/// unarchive, delete, restore. They are the same edits as the window's, and as those all are done or none.
class RunEditCommands
{
public:
    void declare(CLI::App& runs);
    /// Whether one of the subcommands was given.
    bool given() const { return m_given != nullptr; }
    /// Errors: NotFound, Usage (empty name, deleting a run in progress), Store.
    Result<int> run(const Invocation& invocation) const;

private:
    struct Word;
    static const std::vector<Word>& words();

    const Word* m_given = nullptr;
    std::string m_text;
    std::vector<std::string> m_runs;
};

} // namespace assay
