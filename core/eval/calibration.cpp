#include "core/eval/calibration.h"

#include "core/base/check.h"
#include "core/eval/step_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace assay {

namespace {

constexpr const char* kNoItems = "no items";
constexpr const char* kOneClass = "only one class among the labels";
constexpr double kLogClip = 1e-7;

/// Why calibration cannot be computed, empty when it can.
std::string notProbabilities(std::span<const double> values)
{
    if (values.empty())
        return kNoItems;
    if (auto reason = nonFiniteReason(values); !reason.empty())
        return reason;
    for (const double value : values)
        if (value < 0.0 || value > 1.0)
            return "a score lies outside [0, 1]: not a probability";
    return {};
}

double entropyTerm(double p)
{
    return p > 0.0 ? -p * std::log(p) : 0.0;
}

/// Mean of term(p, y), or the reason why these are not probabilities.
Measure meanOf(std::span<const double> probabilities, std::span<const double> labels,
               const std::function<double(double, double)>& term)
{
    CHECK(probabilities.size() == labels.size(), "probabilities and labels differ in length");
    if (auto reason = notProbabilities(probabilities); !reason.empty())
        return Measure::undefined(std::move(reason));
    double sum = 0.0;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        sum += term(probabilities[i], labels[i]);
    return Measure::of(sum / double(probabilities.size()));
}

double crossEntropy(double p, double y)
{
    double loss = 0.0;
    if (y > 0.0)
        loss -= y * std::log(p);
    if (y < 1.0)
        loss -= (1.0 - y) * std::log1p(-p);
    return loss;
}

struct Bin
{
    double count = 0.0, probability = 0.0, label = 0.0;
    double gap() const { return std::abs(probability - label) / count; }
};

std::vector<Bin> widthBins(std::span<const double> probabilities, std::span<const double> labels, int bins)
{
    std::vector<Bin> result(static_cast<std::size_t>(bins));
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const auto index = std::min(std::size_t(bins) - 1, std::size_t(std::floor(probabilities[i] * bins)));
        auto& bin = result[index];
        bin.count += 1.0;
        bin.probability += probabilities[i];
        bin.label += labels[i];
    }
    std::erase_if(result, [](const Bin& bin) { return bin.count == 0.0; });
    return result;
}

std::vector<Bin> massBins(std::span<const double> probabilities, std::span<const double> labels, int bins)
{
    std::vector<std::size_t> order(probabilities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
    const std::size_t parts = std::min(std::size_t(bins), order.size());
    std::vector<Bin> result(parts);
    std::size_t next = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t size = order.size() / parts + (part < order.size() % parts ? 1 : 0);
        for (std::size_t k = 0; k < size; ++k, ++next) {
            result[part].count += 1.0;
            result[part].probability += probabilities[order[next]];
            result[part].label += labels[order[next]];
        }
    }
    return result;
}

} // namespace

Measure baseRate(std::span<const double> labels)
{
    return Measure::ratio(std::accumulate(labels.begin(), labels.end(), 0.0), double(labels.size()),
                          kNoItems);
}

Measure brier(std::span<const double> probabilities, std::span<const double> labels)
{
    return meanOf(probabilities, labels, [](double p, double y) { return (p - y) * (p - y); });
}

Measure logLoss(std::span<const double> probabilities, std::span<const double> labels)
{
    Measure mean = meanOf(probabilities, labels, crossEntropy);
    if (!mean || std::isfinite(*mean.value))
        return mean;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        if (!std::isfinite(crossEntropy(probabilities[i], labels[i])))
            return Measure::undefined(
                fmt::format("infinite: score exactly {} with the opposite label at index {}",
                            probabilities[i] > 0.5 ? 1 : 0, i));
    return Measure::undefined("infinite");
}

Measure logLossClipped(std::span<const double> probabilities, std::span<const double> labels)
{
    return meanOf(probabilities, labels, [](double p, double y) {
        return crossEntropy(std::clamp(p, kLogClip, 1.0 - kLogClip), y);
    });
}

Measure logLossFromLogits(std::span<const double> logits, std::span<const double> labels, double wrongWeight)
{
    CHECK(logits.size() == labels.size(), "logits and labels differ in length");
    if (auto reason = nonFiniteReason(logits); !reason.empty())
        return Measure::undefined(std::move(reason));
    double sum = 0.0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double tail = std::log1p(std::exp(-std::abs(logits[i])));
        sum += labels[i] * (std::max(-logits[i], 0.0) + tail) +
               wrongWeight * (1.0 - labels[i]) * (std::max(logits[i], 0.0) + tail);
    }
    return Measure::ratio(sum, double(logits.size()), kNoItems);
}

Measure meanEntropy(std::span<const double> probabilities)
{
    return meanOf(probabilities, probabilities,
                  [](double p, double) { return entropyTerm(p) + entropyTerm(1.0 - p); });
}

Measure trivialLoss(std::span<const double> labels, double wrongWeight)
{
    const Measure rate = baseRate(labels);
    if (!rate)
        return rate;
    const double correct = *rate.value, wrong = wrongWeight * (1.0 - correct), all = correct + wrong;
    return Measure::of(all * (entropyTerm(correct / all) + entropyTerm(wrong / all)));
}

Measure skill(const Measure& loss, const Measure& trivial)
{
    if (!loss)
        return loss;
    if (!trivial)
        return trivial;
    if (*trivial.value == 0.0)
        return Measure::undefined(kOneClass);
    return Measure::of(1.0 - *loss.value / *trivial.value);
}

Measure variance(std::span<const double> values)
{
    if (values.empty())
        return Measure::undefined(kNoItems);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    double sum = 0.0;
    for (const double value : values)
        sum += (value - mean) * (value - mean);
    return Measure::of(sum / double(values.size()));
}

Measure calibrationError(std::span<const double> probabilities, std::span<const double> labels, int bins,
                         Binning binning)
{
    CHECK(bins > 0 && probabilities.size() == labels.size(), "bins");
    if (auto reason = notProbabilities(probabilities); !reason.empty())
        return Measure::undefined(std::move(reason));
    const auto parts = binning == Binning::EqualWidth ? widthBins(probabilities, labels, bins)
                                                      : massBins(probabilities, labels, bins);
    double sum = 0.0;
    for (const auto& bin : parts)
        sum += bin.count / double(probabilities.size()) * bin.gap();
    return Measure::of(sum);
}

Measure maximumCalibrationError(std::span<const double> probabilities, std::span<const double> labels,
                                int bins)
{
    CHECK(bins > 0 && probabilities.size() == labels.size(), "bins");
    if (auto reason = notProbabilities(probabilities); !reason.empty())
        return Measure::undefined(std::move(reason));
    double largest = 0.0;
    for (const auto& bin : widthBins(probabilities, labels, bins))
        largest = std::max(largest, bin.gap());
    return Measure::of(largest);
}

} // namespace assay
