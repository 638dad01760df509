#include "core/eval/reward_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr std::array<std::string_view, 4> kAggregations{"last", "min", "mean", "product"};

double sigmoid(double x)
{
    return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
}

/// Derivative of the summed log loss by the inverse temperature; it only grows.
double slope(std::span<const LabelledOutput> rows, double inverse)
{
    double sum = 0.0;
    for (const auto& row : rows)
        sum += row.output * (sigmoid(inverse * row.output) - row.label);
    return sum;
}

} // namespace

std::string_view aggregationId(Aggregation aggregation)
{
    return kAggregations.at(static_cast<std::size_t>(aggregation));
}

std::optional<Aggregation> aggregationFromId(std::string_view id)
{
    for (std::size_t i = 0; i < kAggregations.size(); ++i)
        if (kAggregations[i] == id)
            return static_cast<Aggregation>(i);
    return std::nullopt;
}

double RewardScale::probability(double output) const
{
    return sigmoid(reward(output));
}

std::optional<double> RewardScale::whole(std::span<const double> probabilities) const
{
    if (!aggregation || probabilities.empty())
        return std::nullopt;
    double sum = 0.0, product = 1.0;
    for (const double p : probabilities) {
        sum += p;
        product *= p;
    }
    switch (*aggregation) {
    case Aggregation::Last:
        return probabilities.back();
    case Aggregation::Minimum:
        return *std::min_element(probabilities.begin(), probabilities.end());
    case Aggregation::Mean:
        return sum / static_cast<double>(probabilities.size());
    case Aggregation::Product:
        return product;
    }
    return std::nullopt;
}

std::string RewardScale::text() const
{
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (centre != 0.0)
        add(fmt::format("centre {:.6g}", centre));
    if (temperature != 1.0)
        add(fmt::format("temperature {:.6g}", temperature));
    if (threshold)
        add(fmt::format("threshold {:.6g}", *threshold));
    if (aggregation)
        add(fmt::format("reward of the answer: {}", aggregationId(*aggregation)));
    return text;
}

Status RewardScale::check() const
{
    const auto refuse = [](std::string message, const char* where) {
        return Error{ErrorCode::Usage, std::move(message), where};
    };
    if (!std::isfinite(temperature) || temperature < 1e-6 || temperature > 1e6)
        return refuse("a temperature is a number from 0.000001 to 1000000", "temperature");
    if (!std::isfinite(centre))
        return refuse("the centre is no finite number", "centre");
    if (threshold && !(*threshold >= 0.0 && *threshold <= 1.0))
        return refuse("a threshold is a probability, from 0 to 1", "threshold");
    return {};
}

Result<double> fitTemperature(std::span<const LabelledOutput> rows)
{
    constexpr double kSmallest = 1e-4, kLargest = 1e4;
    constexpr int kHalvings = 200;
    if (rows.empty())
        return Error{ErrorCode::BadData, "no row has a label to fit a temperature on"};
    if (slope(rows, kSmallest) >= 0.0)
        return Error{ErrorCode::BadData,
                     "no temperature fits: the scores rank these rows no better than chance",
                     {},
                     "Train longer, or give a temperature"};
    if (slope(rows, kLargest) <= 0.0)
        return Error{
            ErrorCode::BadData,
            "no temperature fits: the scores separate these rows perfectly, so the smaller the better",
            {},
            "Evaluate on more rows, or give a temperature"};
    double low = std::log(kSmallest), high = std::log(kLargest);
    for (int i = 0; i < kHalvings && low < high; ++i) {
        const double middle = 0.5 * (low + high);
        (slope(rows, std::exp(middle)) < 0.0 ? low : high) = middle;
    }
    return std::exp(-0.5 * (low + high));
}

} // namespace assay
