#pragma once

#include "core/diagnostics/verdict.h"

#include <optional>
#include <span>
#include <string>

namespace assay {

/// One rule: a verdict when it applies.
using VerdictRule = std::optional<Verdict> (*)(const VerdictInput& input);

/// All rules in the order in which they are asked; the last one always decides once there is an evaluation.
std::span<const VerdictRule> verdictRules();

/// At least 98 % of the evaluated steps predicted as one class.
OneClassFlag oneClassFlag(const VerdictInput& input);
/// "99.7 % of the steps are predicted True."
std::string oneClassEvidence(const VerdictInput& input, OneClassFlag flag);

} // namespace assay
