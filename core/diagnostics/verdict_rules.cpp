#include "core/diagnostics/verdict_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr double kOneClassShare = 0.98;
constexpr std::int64_t kFewestOfAClass = 20;
constexpr double kConstantVariance = 1e-4; ///< of the step probabilities
constexpr double kClearAuroc = 0.6;        ///< lower bound that decides before enough training
constexpr double kThresholdSettled = 0.25; ///< share of the planned steps after which a threshold may be off

bool evaluated(const VerdictInput& in)
{
    return in.evaluationsDone > 0 && in.positives + in.negatives > 0;
}

/// Balanced accuracy above one half with its whole interval, and not a small part of what the ranking allows.
bool thresholdFits(const VerdictInput& in)
{
    if (!defined(in.balancedAccuracy) || lowOf(*in.balancedAccuracy) <= 0.5)
        return false;
    const double gained = *in.balancedAccuracy->value - 0.5;
    return gained >= 0.25 * (in.bestBalancedAccuracy.value_or(0.5) - 0.5);
}

bool aboveChance(const VerdictInput& in)
{
    return defined(in.auroc) && lowOf(*in.auroc) > 0.5;
}

/// The lower bound must pass the best baseline, not only the estimate.
bool aboveBaseline(const VerdictInput& in)
{
    return !in.bestBaselineAuroc || lowOf(*in.auroc) > *in.bestBaselineAuroc;
}

std::optional<Verdict> labelsBroken(const VerdictInput& in)
{
    if (in.supervisedPerStep <= 1.0 && !in.ignoreValuesAsLabels)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::LabelsBroken};
    verdict.sentence =
        in.supervisedPerStep > 1.0
            ? fmt::format(
                  "The labels are broken: {:.1f} supervised positions per step, where there must be one.",
                  in.supervisedPerStep)
            : std::string("The labels are broken: ignore values have become labels.");
    verdict.evidence =
        in.ignoreValuesAsLabels
            ? "No position is ignored: the value that should mean \"no label\" is trained as a label."
            : "Some steps carry more than one label.";
    if (evaluated(in))
        verdict.evidence += fmt::format(" Whatever accuracy shows ({} of the labels are True) measures where "
                                        "steps end, not whether they are right.",
                                        percent(in.baseRate));
    verdict.remedy = "Mend the labels: exactly one per step, -100 everywhere else; then train again.";
    return verdict;
}

std::optional<Verdict> tooFewNegatives(const VerdictInput& in)
{
    if (!evaluated(in) || std::min(in.negatives, in.positives) >= kFewestOfAClass)
        return std::nullopt;
    const bool wrong = in.negatives < kFewestOfAClass;
    const std::int64_t count = wrong ? in.negatives : in.positives;
    Verdict verdict{.kind = VerdictKind::TooFewNegatives};
    verdict.sentence = fmt::format("Too few {} steps to judge: the evaluation has {} of {}.",
                                   wrong ? "wrong" : "correct", count, in.negatives + in.positives);
    verdict.evidence = fmt::format("At least {} of each class are needed; AUROC {}.", kFewestOfAClass,
                                   withInterval(in.auroc));
    verdict.remedy = "Evaluate on more problems, or on a set with more mistakes.";
    return verdict;
}

std::optional<Verdict> firstOfAll(const VerdictInput& in)
{
    if (!evaluated(in) || in.finished || in.evaluationsDone > 1)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::TooEarly};
    verdict.sentence = fmt::format("Too early to say: {}.", firstEvaluation(in));
    verdict.evidence =
        fmt::format("AUROC {}{}.", withInterval(in.auroc),
                    in.trainedShare > 0.0 ? ", with nothing to compare it with" : " before training");
    return verdict;
}

std::optional<Verdict> constant(const VerdictInput& in)
{
    if (!evaluated(in) || !trainedEnough(in) || in.scoreVariance >= kConstantVariance || aboveChance(in))
        return std::nullopt;
    // A frozen random head may well differ by less than this; what is wrong there is that nothing trains.
    if (stalled(in) && in.scoreVariance > 1e-12)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::Constant};
    verdict.sentence = "Gives every step nearly the same score, whatever the step says.";
    verdict.evidence = fmt::format("Standard deviation of the step probabilities {:.4f}; AUROC {}.",
                                   std::sqrt(in.scoreVariance), withInterval(in.auroc));
    verdict.remedy = "Check that head and backbone are trained, that the read-out is at the step end, and "
                     "the learning rate.";
    return verdict;
}

std::optional<Verdict> leak(const VerdictInput& in)
{
    if (!evaluated(in) || in.leakedShare < kLeakShare)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::Leak};
    verdict.sentence =
        fmt::format("The numbers cannot be trusted: {} of the evaluation prompts stand in training.",
                    percent(in.leakedShare));
    verdict.evidence = fmt::format("AUROC {} may be memory.", withInterval(in.auroc));
    verdict.remedy = "Split by prompt, or remove the shared prompts, and evaluate again.";
    return verdict;
}

/// With nothing training, a ranking slightly off chance is an accident of the initial weights.
bool accident(const VerdictInput& in)
{
    return stalled(in) && defined(in.auroc) && lowOf(*in.auroc) <= kClearAuroc;
}

/// What the score rules ask is whether a whole interval lies above something: a bare estimate cannot answer.
std::optional<Verdict> withoutInterval(const VerdictInput& in)
{
    if (!evaluated(in) || accident(in) || !defined(in.auroc) || (in.auroc->low && in.auroc->high))
        return std::nullopt;
    if (auto leaked = leak(in))
        return leaked;
    Verdict verdict{.kind = VerdictKind::TooEarly};
    verdict.sentence = "Cannot say whether this is learning: AUROC has no interval.";
    verdict.evidence = fmt::format("AUROC {} and balanced accuracy {} are bare estimates{}.",
                                   withInterval(in.auroc), withInterval(in.balancedAccuracy),
                                   in.bestBaselineAuroc
                                       ? fmt::format("; the best null baseline (\"{}\") reaches AUROC {:.3f}",
                                                     in.bestBaselineName, *in.bestBaselineAuroc)
                                       : std::string());
    verdict.remedy =
        "Set evaluation.bootstrap_samples to 200 and evaluate again, on rows of several prompts.";
    return verdict;
}

std::optional<Verdict> undecided(const VerdictInput& in)
{
    if (!evaluated(in) || trainedEnough(in))
        return std::nullopt;
    // A clear ranking is learning at once; that its threshold is off shows after a while.
    const bool clear = aboveChance(in) && aboveBaseline(in) && lowOf(*in.auroc) > kClearAuroc &&
                       (thresholdFits(in) || in.trainedShare >= kThresholdSettled);
    if (clear)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::TooEarly};
    verdict.sentence = fmt::format("Too early to say: {} of the training is done.", percent(in.trainedShare));
    verdict.evidence = fmt::format("AUROC {}{}, balanced accuracy {}.", withInterval(in.auroc),
                                   aboveChance(in) ? " is above chance" : " includes chance so far",
                                   withInterval(in.balancedAccuracy));
    return verdict;
}

std::optional<Verdict> noSignal(const VerdictInput& in)
{
    const bool nothingTrains = accident(in);
    if (!evaluated(in) || (aboveChance(in) && !nothingTrains))
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::NoSignal};
    verdict.remedy = "Check the labels, the learning rate, that something is trainable, and the position of "
                     "the read-outs.";
    if (!defined(in.auroc)) {
        verdict.sentence = "No signal can be measured: AUROC is undefined.";
        verdict.evidence = in.auroc ? in.auroc->undefinedReason : "no AUROC";
        return verdict;
    }
    if (highOf(*in.auroc) < 0.5 && !nothingTrains) {
        verdict.sentence =
            "Ranks wrong steps above correct ones: the labels or the sign of the score look inverted.";
        verdict.remedy = "Check which label value means correct, and which output of the head is read.";
    } else if (nothingTrains) {
        verdict.sentence = "Nothing is being learned: the evaluation loss has not moved since step 0.";
        verdict.remedy = "Check the learning rate and that at least one tensor is trainable.";
    } else {
        verdict.sentence = "Cannot tell correct from wrong steps: the ranking is at chance.";
    }
    verdict.evidence =
        fmt::format("AUROC {}, chance is 0.5; {} of the steps are correct, {} are predicted so.",
                    withInterval(in.auroc), percent(in.baseRate), percent(in.predictedPositiveRate));
    return verdict;
}

std::optional<Verdict> nullBaseline(const VerdictInput& in)
{
    if (!evaluated(in) || !aboveChance(in) || aboveBaseline(in))
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::NullBaseline};
    verdict.sentence = fmt::format("No better than a ruler: \"{}\" alone ranks steps with AUROC {:.3f}.",
                                   in.bestBaselineName, *in.bestBaselineAuroc);
    verdict.evidence =
        *in.auroc->value > *in.bestBaselineAuroc
            ? fmt::format("The model's AUROC {} cannot be told from it.", withInterval(in.auroc))
            : fmt::format("The model reaches AUROC {}.", withInterval(in.auroc));
    verdict.remedy =
        "Balance the data so that the baseline fails, train longer, or evaluate on more problems.";
    return verdict;
}

std::optional<Verdict> thresholdOff(const VerdictInput& in)
{
    if (!evaluated(in) || !aboveChance(in) || thresholdFits(in))
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::ThresholdOff};
    const char* how = lowOf(*in.auroc) > kClearAuroc ? "Ranks steps well" : "Ranks steps better than chance";
    const double predictedWrong = 1.0 - in.predictedPositiveRate;
    const char* what = "the two classes are not separated at it";
    if (predictedWrong < 0.02)
        what = "almost nothing is predicted wrong";
    else if (in.predictedPositiveRate < 0.02)
        what = "almost everything is predicted wrong";
    else if (predictedWrong < 0.5 * (1.0 - in.baseRate))
        what = "too little is predicted wrong";
    else if (predictedWrong > 2.0 * (1.0 - in.baseRate))
        what = "too much is predicted wrong";
    verdict.sentence = fmt::format("{}, but the threshold is off: {}.", how, what);
    verdict.evidence =
        fmt::format("AUROC {} is above chance, yet {} of steps score below {:.2f}, while {} are "
                    "labelled wrong. Balanced accuracy is {}",
                    withInterval(in.auroc), percent(predictedWrong), in.threshold, percent(1.0 - in.baseRate),
                    withInterval(in.balancedAccuracy));
    if (in.bestThreshold && in.bestBalancedAccuracy) {
        verdict.evidence += fmt::format("; at {:.2f} it would be {:.3f} (chosen on these same steps).",
                                        *in.bestThreshold, *in.bestBalancedAccuracy);
        verdict.remedy =
            fmt::format("Use threshold {:.2f}, and check it on other problems.", *in.bestThreshold);
        verdict.suggestedThreshold = in.bestThreshold;
    } else {
        verdict.evidence += ".";
    }
    return verdict;
}

std::optional<Verdict> learning(const VerdictInput& in)
{
    if (!evaluated(in))
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::Learning};
    verdict.sentence = in.finished ? "Learned to tell correct from wrong steps."
                                   : "Learning to tell correct from wrong steps.";
    verdict.evidence = fmt::format("AUROC {}, balanced accuracy {}", withInterval(in.auroc),
                                   withInterval(in.balancedAccuracy));
    verdict.evidence += in.bestBaselineAuroc
                            ? fmt::format("; the best null baseline (\"{}\") reaches AUROC {:.3f}.",
                                          in.bestBaselineName, *in.bestBaselineAuroc)
                            : std::string(".");
    return verdict;
}

constexpr std::array<VerdictRule, 12> kRules{
    labelsBroken, divergedRule, tooFewNegatives, firstOfAll,   constant, withoutInterval,
    undecided,    noSignal,     nullBaseline,    thresholdOff, leak,     learning};

} // namespace

std::span<const VerdictRule> verdictRules()
{
    return kRules;
}

OneClassFlag oneClassFlag(const VerdictInput& in)
{
    if (!evaluated(in))
        return OneClassFlag::None;
    if (in.predictedPositiveRate >= kOneClassShare)
        return OneClassFlag::AlwaysTrue;
    return in.predictedPositiveRate <= 1.0 - kOneClassShare ? OneClassFlag::AlwaysFalse : OneClassFlag::None;
}

std::string oneClassEvidence(const VerdictInput& in, OneClassFlag flag)
{
    if (flag == OneClassFlag::None)
        return {};
    const bool yes = flag == OneClassFlag::AlwaysTrue;
    return fmt::format("{} of the steps are predicted {}.",
                       percent(yes ? in.predictedPositiveRate : 1.0 - in.predictedPositiveRate),
                       yes ? "True" : "False");
}

} // namespace assay
