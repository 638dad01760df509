#include "core/eval/ranking.h"

#include "core/base/check.h"
#include "core/eval/step_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {

namespace {

constexpr const char* kNoItems = "no items";
constexpr const char* kOneClass = "only one class among the labels";

const auto kUnweighted = [](std::int32_t) { return 1.0; };

auto weightsOf(std::span<const std::int32_t> weights)
{
    return [weights](std::int32_t item) { return double(weights[std::size_t(item)]); };
}

} // namespace

RankedLabels::RankedLabels(std::span<const double> scores, std::span<const double> labels)
{
    CHECK(scores.size() == labels.size(), "scores and labels differ in length");
    m_order.resize(scores.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    std::stable_sort(m_order.begin(), m_order.end(), [&](std::int32_t a, std::int32_t b) {
        return scores[std::size_t(a)] < scores[std::size_t(b)];
    });
    m_correct.reserve(m_order.size());
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        const auto item = std::size_t(m_order[i]);
        m_correct.push_back(isCorrect(labels[item]) ? 1 : 0);
        if (m_groupScores.empty() || scores[item] != m_groupScores.back()) {
            m_groupScores.push_back(scores[item]);
            m_groupEnds.push_back(0);
        }
        m_groupEnds.back() = static_cast<std::int32_t>(i) + 1;
    }
}

template <typename Weight>
std::vector<RankedLabels::Counts> RankedLabels::tieGroups(Weight weight) const
{
    std::vector<Counts> groups(m_groupEnds.size());
    std::size_t i = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (; i < std::size_t(m_groupEnds[g]); ++i)
            (m_correct[i] ? groups[g].correct : groups[g].wrong) += weight(m_order[i]);
    return groups;
}

namespace {

/// `groups` in ascending order of score.
template <typename Groups>
Measure aurocOf(const Groups& groups)
{
    if (groups.empty())
        return Measure::undefined(kNoItems);
    double wrongBelow = 0.0, correct = 0.0, wins = 0.0;
    for (const auto& group : groups) {
        wins += group.correct * (wrongBelow + 0.5 * group.wrong);
        wrongBelow += group.wrong;
        correct += group.correct;
    }
    return Measure::ratio(wins, correct * wrongBelow, kOneClass);
}

/// Average precision of the class `hits`, best group first.
template <typename Iterator, typename Hits, typename Misses>
Measure averagePrecision(Iterator first, Iterator last, Hits hits, Misses misses, const char* why)
{
    if (first == last)
        return Measure::undefined(kNoItems);
    double total = 0.0;
    for (auto group = first; group != last; ++group)
        total += hits(*group);
    if (total == 0.0)
        return Measure::undefined(why);
    double found = 0.0, seen = 0.0, sum = 0.0;
    for (auto group = first; group != last; ++group) {
        found += hits(*group);
        seen += hits(*group) + misses(*group);
        if (hits(*group) > 0.0)
            sum += hits(*group) / total * (found / seen);
    }
    return Measure::of(sum);
}

const auto kCorrect = [](const auto& group) { return group.correct; };
const auto kWrong = [](const auto& group) { return group.wrong; };

} // namespace

Measure RankedLabels::auroc() const
{
    return aurocOf(tieGroups(kUnweighted));
}

Measure RankedLabels::auroc(std::span<const std::int32_t> weights) const
{
    return aurocOf(tieGroups(weightsOf(weights)));
}

Measure RankedLabels::tieRate() const
{
    if (m_order.empty())
        return Measure::undefined(kNoItems);
    double correct = 0.0, wrong = 0.0, tied = 0.0;
    for (const auto& group : tieGroups(kUnweighted)) {
        tied += group.correct * group.wrong;
        correct += group.correct;
        wrong += group.wrong;
    }
    return Measure::ratio(tied, correct * wrong, kOneClass);
}

Measure RankedLabels::averagePrecisionWrong() const
{
    const auto groups = tieGroups(kUnweighted);
    return averagePrecision(groups.begin(), groups.end(), kWrong, kCorrect, "no negative label");
}

Measure RankedLabels::averagePrecisionWrong(std::span<const std::int32_t> weights) const
{
    const auto groups = tieGroups(weightsOf(weights));
    return averagePrecision(groups.begin(), groups.end(), kWrong, kCorrect, "no negative label");
}

Measure RankedLabels::averagePrecisionCorrect() const
{
    const auto groups = tieGroups(kUnweighted);
    return averagePrecision(groups.rbegin(), groups.rend(), kCorrect, kWrong, "no positive label");
}

std::optional<RankedLabels::BestThreshold> RankedLabels::bestThreshold() const
{
    const auto groups = tieGroups(kUnweighted);
    double correct = 0.0, wrong = 0.0;
    for (const auto& group : groups) {
        correct += group.correct;
        wrong += group.wrong;
    }
    if (correct == 0.0 || wrong == 0.0)
        return std::nullopt;
    BestThreshold best;
    bool found = false;
    double correctBelow = 0.0, wrongBelow = 0.0;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        correctBelow += groups[g].correct;
        wrongBelow += groups[g].wrong;
        const double balanced = 0.5 * (wrongBelow / wrong + 1.0 - correctBelow / correct);
        double threshold = m_groupScores[g] + 0.5 * (m_groupScores[g + 1] - m_groupScores[g]);
        // Neighbouring numbers have nothing between them; the upper one separates them ("below is wrong").
        if (!(threshold > m_groupScores[g]))
            threshold = m_groupScores[g + 1];
        const bool nearer = std::abs(threshold - 0.5) < std::abs(best.threshold - 0.5);
        if (!found || balanced > best.balancedAccuracy + 1e-12 ||
            (balanced > best.balancedAccuracy - 1e-12 && nearer))
            best = {threshold, balanced};
        found = true;
    }
    // One score for all, or an inverted ranking: calling everything correct reaches one half and is as good.
    if (!found || best.balancedAccuracy < 0.5)
        return BestThreshold{std::min(0.5, m_groupScores.front()), 0.5};
    return best;
}

Measure auroc(std::span<const double> scores, std::span<const double> labels)
{
    if (auto reason = nonFiniteReason(scores); !reason.empty())
        return Measure::undefined(std::move(reason));
    return RankedLabels(scores, labels).auroc();
}

} // namespace assay
