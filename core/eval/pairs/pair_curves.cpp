#include "core/eval/pairs/pair_curves.h"

#include "core/eval/bootstrap.h"
#include "core/eval/pairs/pair_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {

namespace {

constexpr std::size_t kBins = 24; ///< even: 0 is a border
constexpr std::size_t kMiddle = kBins / 2;
constexpr std::size_t kParts = 8, kFewestOfAPart = 10;

} // namespace

Curve marginHistogram(const PairView& view)
{
    Curve curve{"margin_histogram", "margin", {}, {}};
    std::vector<double> gaps, sizes;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (const double gap = view.chosen[i] - view.rejected[i]; std::isfinite(gap)) {
            gaps.push_back(gap);
            sizes.push_back(std::abs(gap));
        }
    std::sort(sizes.begin(), sizes.end());
    const double reach = sizes.empty() ? 0.0 : percentile(sizes, 99.0);
    const double limit = reach > 0.0 ? reach : 1.0;
    const double width = 2.0 * limit / double(kBins);
    std::vector<double> counts(kBins, 0.0);
    for (const double gap : gaps) {
        if (gap == 0.0) {
            counts[kMiddle - 1] += 0.5;
            counts[kMiddle] += 0.5;
            continue;
        }
        const double bin = std::floor((gap + limit) / width);
        // Rounding must not carry a pair over the border between right and wrong.
        const double lower = gap > 0.0 ? double(kMiddle) : 0.0;
        const double upper = gap > 0.0 ? double(kBins - 1) : double(kMiddle - 1);
        counts[std::size_t(std::clamp(bin, lower, upper))] += 1.0;
    }
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        curve.x.push_back(-limit + (double(bin) + 0.5) * width);
        curve.y.push_back(gaps.empty() ? 0.0 : counts[bin] / double(gaps.size()));
    }
    return curve;
}

std::vector<Curve> lengthGapCurves(const PairView& view)
{
    Curve accuracy{"accuracy_by_length_gap", "accuracy", {}, {}};
    Curve low{"accuracy_by_length_gap_low", "accuracy, low", {}, {}};
    Curve high{"accuracy_by_length_gap_high", "accuracy, high", {}, {}};
    Curve count{"length_gap_count", "pairs", {}, {}};
    const auto gapOf = [&view](std::size_t i) { return view.chosenTokens[i] - view.rejectedTokens[i]; };
    std::vector<std::size_t> order(view.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gapOf(a) < gapOf(b); });
    const std::size_t parts = std::clamp<std::size_t>(view.size() / kFewestOfAPart, 1, kParts);
    const std::size_t size = (view.size() + parts - 1) / parts;
    for (std::size_t begin = 0; begin < order.size();) {
        // Pairs of one difference stay together: the order inside them means nothing.
        std::size_t end = std::min(begin + size, order.size());
        while (end < order.size() && gapOf(order[end]) == gapOf(order[end - 1]))
            ++end;
        double wins = 0.0, gaps = 0.0;
        const double pairs = double(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
            wins += pairWin(view.chosen[order[i]], view.rejected[order[i]]);
            gaps += gapOf(order[i]);
        }
        const auto interval = wilson(wins, pairs);
        for (auto* curve : {&accuracy, &low, &high, &count})
            curve->x.push_back(gaps / pairs);
        accuracy.y.push_back(wins / pairs);
        low.y.push_back(interval->low);
        high.y.push_back(interval->high);
        count.y.push_back(pairs);
        begin = end;
    }
    return {std::move(accuracy), std::move(low), std::move(high), std::move(count)};
}

} // namespace assay
