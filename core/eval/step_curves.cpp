#include "core/eval/step_curves.h"

#include "core/eval/ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace assay {

namespace {

constexpr int kBins = 25;
constexpr double kNormal95 = 1.959963984540054;

struct Moments
{
    double count = 0.0, sum = 0.0, squares = 0.0;

    void add(double value)
    {
        count += 1.0;
        sum += value;
        squares += value * value;
    }
    double mean() const { return sum / count; }
    double standardError() const
    {
        const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1.0));
        return std::sqrt(variance / count);
    }
};

struct AtPosition
{
    Moments correct, wrong;
    double labels = 0.0;
};

std::vector<Curve> classCurves(const std::vector<AtPosition>& positions, bool correct)
{
    const std::string id = correct ? "position_correct" : "position_wrong";
    const std::string title = correct ? "correct" : "wrong";
    Curve mean{id, title, {}, {}}, low{id + "_low", title + ", low", {}, {}},
        high{id + "_high", title + ", high", {}, {}};
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto& moments = correct ? positions[i].correct : positions[i].wrong;
        if (moments.count == 0.0)
            continue;
        const double x = double(i + 1);
        mean.x.push_back(x);
        mean.y.push_back(moments.mean());
        if (moments.count < 2.0)
            continue;
        const double half = kNormal95 * moments.standardError();
        low.x.push_back(x);
        low.y.push_back(std::max(0.0, moments.mean() - half));
        high.x.push_back(x);
        high.y.push_back(std::min(1.0, moments.mean() + half));
    }
    return {std::move(mean), std::move(low), std::move(high)};
}

} // namespace

std::vector<Curve> histogramCurves(const StepView& view)
{
    std::array<std::array<double, kBins>, 2> counts{};
    std::array<double, 2> totals{};
    for (std::size_t i = 0; i < view.probabilities.size(); ++i) {
        const double probability = view.probabilities[i];
        if (!std::isfinite(probability))
            continue; // drawn nowhere; every metric of the same report says "non-finite"
        const std::size_t side = isCorrect(view.labels[i]) ? 0 : 1;
        const auto bin = std::clamp(static_cast<int>(probability * kBins), 0, kBins - 1);
        counts[side][std::size_t(bin)] += 1.0;
        totals[side] += 1.0;
    }
    std::vector<Curve> curves{{"histogram_correct", "correct", {}, {}}, {"histogram_wrong", "wrong", {}, {}}};
    for (std::size_t side = 0; side < 2; ++side)
        for (int bin = 0; bin < kBins; ++bin) {
            curves[side].x.push_back((bin + 0.5) / kBins);
            curves[side].y.push_back(totals[side] > 0.0 ? counts[side][std::size_t(bin)] / totals[side]
                                                        : 0.0);
        }
    return curves;
}

std::vector<Curve> positionCurves(const StepView& view)
{
    std::vector<AtPosition> positions;
    for (std::size_t i = 0; i < view.step.size(); ++i) {
        if (view.step[i] < 0 || !std::isfinite(view.probabilities[i]))
            continue;
        const auto position = std::size_t(view.step[i]);
        if (positions.size() <= position)
            positions.resize(position + 1);
        auto& at = positions[position];
        (isCorrect(view.labels[i]) ? at.correct : at.wrong).add(view.probabilities[i]);
        at.labels += view.labels[i];
    }
    std::vector<Curve> curves = classCurves(positions, true);
    for (auto& curve : classCurves(positions, false))
        curves.push_back(std::move(curve));
    Curve rate{"position_base_rate", "base rate", {}, {}}, count{"position_count", "steps", {}, {}};
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double steps = positions[i].correct.count + positions[i].wrong.count;
        if (steps == 0.0)
            continue;
        rate.x.push_back(double(i + 1));
        rate.y.push_back(positions[i].labels / steps);
        count.x.push_back(double(i + 1));
        count.y.push_back(steps);
    }
    curves.push_back(std::move(rate));
    curves.push_back(std::move(count));
    return curves;
}

} // namespace assay
