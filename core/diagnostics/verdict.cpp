#include "core/diagnostics/verdict.h"

#include "core/diagnostics/verdict_rules.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

struct VerdictRow
{
    VerdictKind kind;
    std::string_view id, word;
};

constexpr std::array<VerdictRow, 11> kVerdicts{{
    {VerdictKind::None, "", ""},
    {VerdictKind::Learning, "learning", "learning"},
    {VerdictKind::TooEarly, "too-early", "too early"},
    {VerdictKind::TooFewNegatives, "too-few-negatives", "too few negatives"},
    {VerdictKind::NoSignal, "no-signal", "no signal"},
    {VerdictKind::ThresholdOff, "threshold-off", "threshold off"},
    {VerdictKind::Constant, "constant", "constant"},
    {VerdictKind::LabelsBroken, "labels-broken", "labels broken"},
    {VerdictKind::NullBaseline, "null-baseline", "null baseline"},
    {VerdictKind::Leak, "leak", "leak"},
    {VerdictKind::Diverged, "diverged", "diverged"},
}};

const VerdictRow& rowOf(VerdictKind kind)
{
    for (const auto& row : kVerdicts)
        if (row.kind == kind)
            return row;
    return kVerdicts.front();
}

std::optional<Metric> copyOf(const Report& report, std::string_view id)
{
    const Metric* metric = report.metric(id);
    return metric ? std::optional<Metric>(*metric) : std::nullopt;
}

std::optional<double> valueOf(const Report& report, std::string_view id)
{
    const Metric* metric = report.metric(id);
    return metric ? metric->value : std::nullopt;
}

bool lossIsNotFinite(const Report& report)
{
    const Metric* loss = report.metric("loss");
    return loss && !loss->value && loss->undefinedReason.starts_with("non-finite");
}

/// The word behind "null: " in a baseline's title, else the end of its id.
std::string baselineWord(const Metric& metric, std::size_t prefix)
{
    constexpr std::string_view kNull = ", null: ";
    const auto name = metric.title.find(kNull);
    return name == std::string::npos ? metric.id.substr(prefix) : metric.title.substr(name + kNull.size());
}

} // namespace

std::string_view verdictId(VerdictKind kind)
{
    return rowOf(kind).id;
}

std::string_view verdictWord(VerdictKind kind)
{
    return rowOf(kind).word;
}

std::optional<VerdictKind> verdictFromId(std::string_view id)
{
    for (const auto& row : kVerdicts)
        if (!id.empty() && row.id == id)
            return row.kind;
    return std::nullopt;
}

std::string Verdict::badge() const
{
    const std::string word(verdictWord(kind));
    switch (flag) {
    case OneClassFlag::None:
        return word;
    case OneClassFlag::AlwaysTrue:
        return word.empty() ? "always True" : "always True: " + word;
    case OneClassFlag::AlwaysFalse:
        return word.empty() ? "always False" : "always False: " + word;
    }
    return word;
}

VerdictInput verdictInput(const Report& stepReport, double threshold)
{
    VerdictInput input;
    input.threshold = threshold;
    input.auroc = copyOf(stepReport, "auroc");
    input.balancedAccuracy = copyOf(stepReport, "balanced_accuracy");
    input.positives = static_cast<std::int64_t>(valueOf(stepReport, "positives").value_or(0.0));
    input.negatives = static_cast<std::int64_t>(valueOf(stepReport, "negatives").value_or(0.0));
    input.predictedPositiveRate = valueOf(stepReport, "predicted_positive_rate").value_or(0.0);
    input.baseRate = valueOf(stepReport, "base_rate").value_or(0.0);
    input.trueNegativeRate = valueOf(stepReport, "true_negative_rate").value_or(0.0);
    input.scoreVariance = valueOf(stepReport, "score_variance").value_or(0.0);
    input.bestThreshold = valueOf(stepReport, "best_threshold");
    input.bestBalancedAccuracy = valueOf(stepReport, "best_balanced_accuracy");
    input.trivialLoss = valueOf(stepReport, "trivial_loss");
    input.nonFinite = lossIsNotFinite(stepReport);
    for (const auto& metric : stepReport.metrics) {
        constexpr std::string_view kPrefix = "baseline_auroc_";
        if (!metric.id.starts_with(kPrefix) || !metric.value)
            continue;
        // Always True and the base rate look at nothing; their AUROC is chance by construction.
        if (metric.id.ends_with("_always_true") || metric.id.ends_with("_base_rate"))
            continue;
        if (input.bestBaselineAuroc && *metric.value <= *input.bestBaselineAuroc)
            continue;
        input.bestBaselineAuroc = metric.value;
        input.bestBaselineName = baselineWord(metric, kPrefix.size());
    }
    return input;
}

VerdictInput pairVerdictInput(const Report& pairReport)
{
    VerdictInput input;
    PairFigures pairs;
    pairs.pairs = static_cast<std::int64_t>(valueOf(pairReport, "pairs").value_or(0.0));
    pairs.accuracy = copyOf(pairReport, "pair_accuracy");
    // Resamples of a perfect or a tiny set are narrower than it deserves.
    if (const Metric* wilson = pairReport.metric("pair_accuracy_wilson");
        pairs.accuracy && pairs.accuracy->low && wilson && wilson->low) {
        pairs.accuracy->low = std::min(*pairs.accuracy->low, *wilson->low);
        pairs.accuracy->high = std::max(*pairs.accuracy->high, *wilson->high);
    }
    pairs.gainOverLength = copyOf(pairReport, "gain_over_length");
    pairs.tieRate = valueOf(pairReport, "tie_rate").value_or(0.0);
    pairs.marginSpread = valueOf(pairReport, "margin_spread").value_or(0.0);
    for (const auto& metric : pairReport.metrics) {
        constexpr std::string_view kPrefix = "baseline_accuracy_";
        if (!metric.id.starts_with(kPrefix) || !metric.value ||
            (pairs.bestBaselineAccuracy && *metric.value <= *pairs.bestBaselineAccuracy))
            continue;
        pairs.bestBaselineAccuracy = metric.value;
        pairs.bestBaselineName = baselineWord(metric, kPrefix.size());
    }
    input.trivialLoss = valueOf(pairReport, "trivial_loss");
    input.nonFinite = lossIsNotFinite(pairReport);
    input.pairs = std::move(pairs);
    return input;
}

Verdict decideVerdict(const VerdictInput& input)
{
    // Labels first: on the historic fault "is this a separator" alone reaches AUROC 0.99, so a score rule
    // would speak of a threshold. Then what makes scores meaningless, then the sample, then the scores.
    Verdict verdict;
    for (const auto rule : input.pairs ? pairVerdictRules() : verdictRules())
        if (auto decided = rule(input)) {
            verdict = std::move(*decided);
            break;
        }
    if (input.pairs)
        return verdict;
    verdict.flag = oneClassFlag(input);
    if (verdict.flag != OneClassFlag::None)
        verdict.evidence =
            oneClassEvidence(input, verdict.flag) + (verdict.evidence.empty() ? "" : " ") + verdict.evidence;
    return verdict;
}

} // namespace assay
