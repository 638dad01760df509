#include "core/run/session.h"

#include <algorithm>

namespace assay {

bool Preflight::blocked() const
{
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::Red; });
}

} // namespace assay
