#include "core/eval/pairs/pair_metrics.h"

#include "core/base/check.h"
#include "core/eval/bootstrap.h"
#include "core/eval/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace assay {

namespace {

std::string undefinedReason(std::span<const double> chosen, std::span<const double> rejected)
{
    if (chosen.empty())
        return "no pairs";
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (!std::isfinite(chosen[i]) || !std::isfinite(rejected[i]))
            return "non-finite score in pair " + std::to_string(i);
    return {};
}

PairMetrics undefinedMetrics(std::int64_t pairs, const std::string& reason)
{
    PairMetrics metrics;
    metrics.pairs = pairs;
    for (auto* measure :
         {&metrics.accuracy, &metrics.accuracyStrict, &metrics.accuracyTiesExcluded, &metrics.tieRate,
          &metrics.meanMargin, &metrics.medianMargin, &metrics.rootMeanSquareMargin, &metrics.logLoss,
          &metrics.rewardMinimum, &metrics.rewardMean, &metrics.rewardMaximum, &metrics.rewardDeviation,
          &metrics.pooledAuroc})
        *measure = Measure::undefined(reason);
    return metrics;
}

/// Rank of every value, equal ones share the mean of their ranks.
std::vector<double> midRanks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = 0.5 * double(begin + end - 1) + 1.0;
        begin = end;
    }
    return ranks;
}

} // namespace

double pairWin(double chosen, double rejected)
{
    return chosen > rejected ? 1.0 : chosen == rejected ? 0.5 : 0.0;
}

double pairLogLoss(double gap)
{
    return std::max(0.0, -gap) + std::log1p(std::exp(-std::abs(gap)));
}

PairMetrics pairMetrics(std::span<const double> chosen, std::span<const double> rejected)
{
    CHECK(chosen.size() == rejected.size(), "a rejected reward for every chosen one");
    const auto count = static_cast<std::int64_t>(chosen.size());
    if (const auto reason = undefinedReason(chosen, rejected); !reason.empty())
        return undefinedMetrics(count, reason);
    PairMetrics metrics;
    metrics.pairs = count;
    double wins = 0.0, loss = 0.0, gapSum = 0.0, gapSquares = 0.0;
    std::vector<double> gaps, rewards, labels;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const double win = pairWin(chosen[i], rejected[i]);
        wins += win == 1.0 ? 1.0 : 0.0;
        metrics.ties += win == 0.5 ? 1 : 0;
        gaps.push_back(chosen[i] - rejected[i]);
        gapSum += gaps.back();
        gapSquares += gaps.back() * gaps.back();
        loss += pairLogLoss(gaps.back());
        rewards.insert(rewards.end(), {chosen[i], rejected[i]});
        labels.insert(labels.end(), {1.0, 0.0});
    }
    const auto n = static_cast<double>(count), ties = static_cast<double>(metrics.ties);
    metrics.accuracy = Measure::of((wins + 0.5 * ties) / n);
    metrics.accuracyStrict = Measure::of(wins / n);
    metrics.accuracyTiesExcluded = Measure::ratio(wins, n - ties, "all pairs are ties");
    metrics.tieRate = Measure::of(ties / n);
    metrics.meanMargin = Measure::of(gapSum / n);
    metrics.rootMeanSquareMargin = Measure::of(std::sqrt(gapSquares / n));
    metrics.logLoss = Measure::of(loss / n);
    std::sort(gaps.begin(), gaps.end());
    metrics.medianMargin = Measure::of(percentile(gaps, 50.0));
    const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / (2.0 * n);
    double squares = 0.0;
    for (const double reward : rewards)
        squares += (reward - mean) * (reward - mean);
    const auto [least, most] = std::minmax_element(rewards.begin(), rewards.end());
    metrics.rewardMinimum = Measure::of(*least);
    metrics.rewardMean = Measure::of(mean);
    metrics.rewardMaximum = Measure::of(*most);
    metrics.rewardDeviation = Measure::of(std::sqrt(squares / (2.0 * n)));
    metrics.pooledAuroc = auroc(rewards, labels);
    return metrics;
}

Measure groupMeanAccuracy(std::span<const double> chosen, std::span<const double> rejected,
                          std::span<const std::int32_t> group)
{
    if (const auto reason = undefinedReason(chosen, rejected); !reason.empty())
        return Measure::undefined(reason);
    std::map<std::int32_t, std::pair<double, double>> groups; // wins, pairs
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        auto& [wins, pairs] = groups[group[i]];
        wins += pairWin(chosen[i], rejected[i]);
        pairs += 1.0;
    }
    double sum = 0.0;
    for (const auto& [id, counts] : groups)
        sum += counts.first / counts.second;
    return Measure::of(sum / double(groups.size()));
}

Measure pearson(std::span<const double> x, std::span<const double> y)
{
    CHECK(x.size() == y.size(), "values in pairs");
    const auto n = static_cast<double>(x.size());
    if (x.size() < 2)
        return Measure::undefined("fewer than two items");
    const double meanX = std::accumulate(x.begin(), x.end(), 0.0) / n;
    const double meanY = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xx = 0.0, yy = 0.0, xy = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - meanX) * (x[i] - meanX);
        yy += (y[i] - meanY) * (y[i] - meanY);
        xy += (x[i] - meanX) * (y[i] - meanY);
    }
    return xx == 0.0 || yy == 0.0 ? Measure::undefined("one side is constant")
                                  : Measure::of(xy / std::sqrt(xx * yy));
}

Measure spearman(std::span<const double> x, std::span<const double> y)
{
    return pearson(midRanks(x), midRanks(y));
}

} // namespace assay
