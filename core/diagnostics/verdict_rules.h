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
/// The rules of preference pairs; `VerdictInput::pairs` must be set.
std::span<const VerdictRule> pairVerdictRules();

/// At least 98 % of the evaluated steps predicted as one class.
OneClassFlag oneClassFlag(const VerdictInput& input);
/// "99.7 % of the steps are predicted True."
std::string oneClassEvidence(const VerdictInput& input, OneClassFlag flag);

// What both rule tables share.

/// A value that is not finite, or a training loss far above the trivial one that has risen.
std::optional<Verdict> divergedRule(const VerdictInput& input);
/// Training has not moved the evaluation loss at all since step 0: a learning rate of zero, or nothing
/// trainable.
bool stalled(const VerdictInput& input);
/// The last evaluation of an unfinished run has a lower loss than all before it, by at least 1 %, and a lower
/// one than a constant: what does not show yet may still come.
bool improving(const VerdictInput& input);
/// Finished, half of the planned steps done without still improving, or stalled: "no signal" may be said.
bool trainedEnough(const VerdictInput& input);
/// "this is the first evaluation, at 50.0 % of the training", or that before step 0.
std::string firstEvaluation(const VerdictInput& input);
constexpr double kLeakShare = 0.01; ///< of the evaluation prompts

bool defined(const std::optional<Metric>& metric);
/// Ends of the interval; the value itself where there is none.
double lowOf(const Metric& metric);
double highOf(const Metric& metric);
/// "0.712 [0.690, 0.731]", "0.712" without an interval, "undefined".
std::string withInterval(const std::optional<Metric>& metric);
/// "12.5 %".
std::string percent(double share);

} // namespace assay
