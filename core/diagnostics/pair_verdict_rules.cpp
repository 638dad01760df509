// Rules for preference pairs: the same list of verdicts, asked of accuracy, ties and margins.
#include "core/diagnostics/verdict_rules.h"

#include <fmt/format.h>

#include <array>

namespace assay {

namespace {

constexpr std::int64_t kFewestPairs = 20;
constexpr double kAllTied = 0.98;
constexpr double kSameReward = 1e-3;    ///< root mean square margin: the loss is ln 2 to six digits
constexpr double kFrozenSpread = 1e-6;  ///< a frozen random head still differs by more than this
constexpr double kClearAccuracy = 0.55; ///< lower bound that decides before enough training

bool evaluated(const VerdictInput& in)
{
    return in.evaluationsDone > 0 && in.pairs->pairs > 0;
}

bool aboveChance(const VerdictInput& in)
{
    return defined(in.pairs->accuracy) && lowOf(*in.pairs->accuracy) > 0.5;
}

/// Better than the better ruler, by the interval of accuracy or by that of the difference on the same pairs.
bool aboveBaseline(const VerdictInput& in)
{
    const auto& pairs = *in.pairs;
    return !pairs.bestBaselineAccuracy || lowOf(*pairs.accuracy) > *pairs.bestBaselineAccuracy ||
           (defined(pairs.gainOverLength) && pairs.gainOverLength->low && *pairs.gainOverLength->low > 0.0);
}

/// With nothing training, an order slightly off chance is an accident of the initial weights.
bool accident(const VerdictInput& in)
{
    return stalled(in) && defined(in.pairs->accuracy) && lowOf(*in.pairs->accuracy) <= kClearAccuracy;
}

std::string tiesAndMargins(const VerdictInput& in)
{
    return fmt::format("{} of {} pairs are tied, margins are {:.2g} in size", percent(in.pairs->tieRate),
                       in.pairs->pairs, in.pairs->marginSpread);
}

std::optional<Verdict> tooFewPairs(const VerdictInput& in)
{
    if (!evaluated(in) || in.pairs->pairs >= kFewestPairs)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::TooFewNegatives};
    verdict.sentence = fmt::format("Too few pairs to judge: the evaluation has {}.", in.pairs->pairs);
    verdict.evidence = fmt::format("At least {} rejected answers are needed; pair accuracy {}.", kFewestPairs,
                                   withInterval(in.pairs->accuracy));
    verdict.remedy = "Evaluate on more pairs.";
    return verdict;
}

std::optional<Verdict> firstOfAll(const VerdictInput& in)
{
    if (!evaluated(in) || in.finished || in.evaluationsDone > 1)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::TooEarly};
    verdict.sentence = fmt::format("Too early to say: {}.", firstEvaluation(in));
    verdict.evidence =
        fmt::format("Pair accuracy {}{}.", withInterval(in.pairs->accuracy),
                    in.trainedShare > 0.0 ? ", with nothing to compare it with" : " before training");
    return verdict;
}

std::optional<Verdict> constant(const VerdictInput& in)
{
    const auto& pairs = *in.pairs;
    if (!evaluated(in) || !trainedEnough(in))
        return std::nullopt;
    const bool same = pairs.tieRate >= kAllTied || (pairs.marginSpread < kSameReward && !aboveChance(in));
    if (!same || (stalled(in) && pairs.marginSpread > kFrozenSpread))
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::Constant};
    verdict.sentence = "Gives both answers of a pair the same reward, whatever they say.";
    verdict.evidence = tiesAndMargins(in);
    verdict.evidence += in.trivialLoss ? fmt::format("; the loss stays at {:.3f}.", *in.trivialLoss) : ".";
    verdict.remedy =
        "Check that the reward is read at the end of the answer and not inside the shared prompt, "
        "that head and backbone are trained, and the learning rate.";
    return verdict;
}

std::optional<Verdict> undecided(const VerdictInput& in)
{
    if (!evaluated(in) || trainedEnough(in))
        return std::nullopt;
    if (aboveChance(in) && aboveBaseline(in) && lowOf(*in.pairs->accuracy) > kClearAccuracy)
        return std::nullopt;
    Verdict verdict{.kind = VerdictKind::TooEarly};
    verdict.sentence = fmt::format("Too early to say: {} of the training is done.", percent(in.trainedShare));
    verdict.evidence = fmt::format("Pair accuracy {}{}.", withInterval(in.pairs->accuracy),
                                   aboveChance(in) ? " is above chance" : " includes chance so far");
    return verdict;
}

std::optional<Verdict> noSignal(const VerdictInput& in)
{
    const bool nothingTrains = accident(in);
    if (!evaluated(in) || (aboveChance(in) && !nothingTrains))
        return std::nullopt;
    const auto& pairs = *in.pairs;
    Verdict verdict{.kind = VerdictKind::NoSignal};
    verdict.remedy =
        "Check which side is chosen, the learning rate, that something is trainable, and where the "
        "reward is read; or train longer on more pairs.";
    if (!defined(pairs.accuracy)) {
        verdict.sentence = "No signal can be measured: pair accuracy is undefined.";
        verdict.evidence = pairs.accuracy ? pairs.accuracy->undefinedReason : "no pair accuracy";
        return verdict;
    }
    if (nothingTrains) {
        verdict.sentence = "Nothing is being learned: the evaluation loss has not moved since step 0.";
        verdict.remedy = "Check the learning rate and that at least one tensor is trainable.";
    } else if (highOf(*pairs.accuracy) < 0.5) {
        verdict.sentence =
            "Prefers the rejected answers: the two sides or the sign of the reward look exchanged.";
        verdict.remedy = "Check which column holds the preferred answer.";
    } else {
        verdict.sentence = "Cannot tell chosen from rejected answers: the order is at chance.";
    }
    verdict.evidence =
        fmt::format("Pair accuracy {}, chance is 0.5; {}.", withInterval(pairs.accuracy), tiesAndMargins(in));
    return verdict;
}

std::optional<Verdict> nullBaseline(const VerdictInput& in)
{
    if (!evaluated(in) || aboveBaseline(in))
        return std::nullopt;
    const auto& pairs = *in.pairs;
    Verdict verdict{.kind = VerdictKind::NullBaseline};
    verdict.sentence =
        fmt::format("No better than a ruler: taking the {} answer is right in {} of the pairs.",
                    pairs.bestBaselineName, percent(*pairs.bestBaselineAccuracy));
    verdict.evidence = *pairs.accuracy->value > *pairs.bestBaselineAccuracy
                           ? fmt::format("The model's pair accuracy {} cannot be told from it.",
                                         withInterval(pairs.accuracy))
                           : fmt::format("The model reaches pair accuracy {}.", withInterval(pairs.accuracy));
    verdict.remedy =
        "Balance the lengths of chosen and rejected answers, train longer, or evaluate on more pairs.";
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
    verdict.evidence = fmt::format("Pair accuracy {} may be memory.", withInterval(in.pairs->accuracy));
    verdict.remedy = "Split by prompt, or remove the shared prompts, and evaluate again.";
    return verdict;
}

std::optional<Verdict> learning(const VerdictInput& in)
{
    if (!evaluated(in))
        return std::nullopt;
    const auto& pairs = *in.pairs;
    Verdict verdict{.kind = VerdictKind::Learning};
    verdict.sentence = in.finished ? "Learned to tell chosen from rejected answers."
                                   : "Learning to tell chosen from rejected answers.";
    verdict.evidence = fmt::format("Pair accuracy {}", withInterval(pairs.accuracy));
    verdict.evidence += pairs.bestBaselineAccuracy
                            ? fmt::format("; taking the {} answer reaches {:.3f}.", pairs.bestBaselineName,
                                          *pairs.bestBaselineAccuracy)
                            : std::string(".");
    return verdict;
}

constexpr std::array<VerdictRule, 9> kRules{divergedRule, tooFewPairs,  firstOfAll, constant, undecided,
                                            noSignal,     nullBaseline, leak,       learning};

} // namespace

std::span<const VerdictRule> pairVerdictRules()
{
    return kRules;
}

} // namespace assay
