#pragma once

#include "app/command.h"

#include <string>
#include <vector>

namespace assay {

/// `assay runs purge [RUN...] [--yes]`: removes deleted runs for good, or says what that would free.
class RunPurgeCommand
{
public:
    void declare(CLI::App& runs);
    bool given() const { return m_given; }
    /// Errors: NotFound, Usage (a run that is not deleted, or is being read), Store, Io.
    Result<int> run(const Invocation& invocation) const;

private:
    bool m_given = false, m_yes = false;
    std::vector<std::string> m_runs;
};

} // namespace assay
