#pragma once

#include "core/eval/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The closed list; the same word in filter, badge, tooltip and report (DESIGN §3).
enum class VerdictKind {
    None, ///< nothing evaluated yet
    Learning,
    TooEarly,
    TooFewNegatives,
    NoSignal,
    ThresholdOff,
    Constant,
    LabelsBroken,
    NullBaseline,
    Leak,
    Diverged
};

/// `labels-broken`, ...; empty for None.
std::string_view verdictId(VerdictKind kind);
/// `labels broken`, ...: what a badge shows.
std::string_view verdictWord(VerdictKind kind);
std::optional<VerdictKind> verdictFromId(std::string_view id);

enum class OneClassFlag { None, AlwaysTrue, AlwaysFalse };

struct Verdict
{
    VerdictKind kind = VerdictKind::None;
    OneClassFlag flag = OneClassFlag::None; ///< at least 98 % of steps predicted as one class
    std::string sentence;                   ///< the banner's one sentence, full stop included
    std::string evidence;                   ///< numbers behind it
    std::string remedy;
    std::optional<double> suggestedThreshold; ///< threshold-off: maximises balanced accuracy

    /// "always True: no signal", or just "learning".
    std::string badge() const;
};

/// What an evaluation of preference pairs says, for the rules of pairs.
struct PairFigures
{
    std::int64_t pairs = 0;
    std::optional<Metric> accuracy;       ///< ties one half; the wider of both intervals
    std::optional<Metric> gainOverLength; ///< over the better ruler, on the same resamples
    double tieRate = 0.0;
    double marginSpread = 0.0; ///< root mean square of chosen - rejected
    std::string bestBaselineName;
    std::optional<double> bestBaselineAccuracy;
};

/// What the rules look at, in the order of DESIGN §3: label rules before score rules.
struct VerdictInput
{
    double supervisedPerStep = 1.0; ///< supervised positions per step, train or evaluation, the larger
    bool ignoreValuesAsLabels = false;
    double leakedShare = 0.0;                  ///< share of evaluation prompts that stand in training
    std::int64_t negatives = 0, positives = 0; ///< evaluation labels
    std::optional<Metric> auroc;               ///< with clustered 95 % interval
    std::optional<Metric> balancedAccuracy;
    double threshold = 0.5;
    double predictedPositiveRate = 0.0;
    double baseRate = 0.0;
    double trueNegativeRate = 0.0;
    double scoreVariance = 0.0;
    std::optional<double> bestThreshold, bestBalancedAccuracy;
    std::string bestBaselineName; ///< null ladder on the same split
    std::optional<double> bestBaselineAuroc;
    std::int64_t evaluationsDone = 0; ///< 1 = only the one before step 0
    double trainedShare = 0.0;        ///< optimiser steps done / planned
    bool finished = false;
    bool nonFinite = false;              ///< a NaN or infinity stopped one of the recent steps
    std::optional<double> trivialLoss;   ///< of the best constant, with the weights of the objective
    std::vector<double> recentTrainLoss; ///< what is not finite is passed over: `nonFinite` speaks of it
    std::vector<double> evaluationLoss;
    std::optional<PairFigures> pairs; ///< set for preference pairs: rules of their own, no one-class flag
};

/// The part of the input that a step report knows; label figures and the course of training are for the
/// caller.
VerdictInput verdictInput(const Report& stepReport, double threshold);
/// The same from a report on preference pairs.
VerdictInput pairVerdictInput(const Report& pairReport);

/// One verdict by the order of DESIGN §3: labels, divergence, sample size, then scores.
Verdict decideVerdict(const VerdictInput& input);

} // namespace assay
