// What the rules of steps and of pairs share.
#include "core/diagnostics/verdict_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace assay {

namespace {

constexpr double kStalled = 1e-6;       ///< relative change of the evaluation loss when nothing trains
constexpr double kEnoughTraining = 0.5; ///< share of the planned steps after which "no signal" is said
constexpr double kImprovement = 0.01;   ///< relative fall of the evaluation loss that is worth waiting for

double median(std::span<const double> values)
{
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

} // namespace

double lowOf(const Metric& metric)
{
    return metric.low.value_or(*metric.value);
}

double highOf(const Metric& metric)
{
    return metric.high.value_or(*metric.value);
}

bool defined(const std::optional<Metric>& metric)
{
    return metric && metric->value;
}

std::string withInterval(const std::optional<Metric>& metric)
{
    if (!defined(metric))
        return "undefined";
    if (!metric->low || !metric->high)
        return fmt::format("{:.3f}", *metric->value);
    return fmt::format("{:.3f} [{:.3f}, {:.3f}]", *metric->value, *metric->low, *metric->high);
}

std::string percent(double share)
{
    return fmt::format("{:.1f} %", 100.0 * share);
}

bool stalled(const VerdictInput& in)
{
    if (in.evaluationsDone < 2 || in.evaluationLoss.size() < 2)
        return false;
    const double first = in.evaluationLoss.front(), last = in.evaluationLoss.back();
    return std::isfinite(first) && std::abs(last - first) <= kStalled * std::max(1e-12, std::abs(first));
}

bool improving(const VerdictInput& in)
{
    if (in.finished || !in.trivialLoss || in.evaluationLoss.size() < 2)
        return false;
    const double last = in.evaluationLoss.back();
    const double before = *std::min_element(in.evaluationLoss.begin(), in.evaluationLoss.end() - 1);
    return last < *in.trivialLoss && last < (1.0 - kImprovement) * before;
}

bool trainedEnough(const VerdictInput& in)
{
    return in.finished || stalled(in) || (in.trainedShare >= kEnoughTraining && !improving(in));
}

std::string firstEvaluation(const VerdictInput& in)
{
    return in.trainedShare > 0.0
               ? fmt::format("this is the first evaluation, at {} of the training", percent(in.trainedShare))
               : std::string("only the evaluation before step 0 is there");
}

std::optional<Verdict> divergedRule(const VerdictInput& in)
{
    Verdict verdict{.kind = VerdictKind::Diverged};
    verdict.remedy =
        "Resume from a checkpoint before it with a smaller learning rate, more warm-up or tighter clipping.";
    if (in.nonFinite) {
        verdict.sentence = "Training diverged: a value stopped being finite.";
        verdict.evidence =
            "A loss, gradient or score became NaN or infinite; see the events for the first tensor.";
        return verdict;
    }
    constexpr std::size_t kWindow = 10;
    if (!in.trivialLoss)
        return std::nullopt;
    // A step that was skipped has no loss to compare: NaN has no place in an order.
    std::vector<double> finite;
    for (const double loss : in.recentTrainLoss)
        if (std::isfinite(loss))
            finite.push_back(loss);
    if (finite.size() < kWindow)
        return std::nullopt;
    // Medians: one hard batch is not a divergence. A fresh head may start far above the trivial loss, so the
    // loss must also have risen.
    const std::span<const double> all(finite);
    const double before = median(all.first(all.size() / 2)), now = median(all.subspan(all.size() / 2));
    const double start = in.evaluationLoss.empty() ? before : std::max(before, in.evaluationLoss.front());
    const bool farAbove = now > std::max(3.0 * *in.trivialLoss, *in.trivialLoss + 0.7);
    const bool risen = now > 1.5 * before || now > 1.5 * start;
    if (!farAbove || !risen)
        return std::nullopt;
    verdict.sentence =
        fmt::format("Training diverged: the loss rose to {:.2f}, where a constant would reach {:.2f}.", now,
                    *in.trivialLoss);
    verdict.evidence = fmt::format("Median training loss {:.3f} before, {:.3f} now.", before, now);
    return verdict;
}

} // namespace assay
