#pragma once

#include "core/base/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// How the rewards of the steps of an answer become one.
enum class Aggregation { Last, Minimum, Mean, Product };
/// `last`, `min`, `mean`, `product`.
std::string_view aggregationId(Aggregation aggregation);
std::optional<Aggregation> aggregationFromId(std::string_view id);

/// What becomes of a model's raw outputs when it is used: it travels with an export.
struct RewardScale
{
    double temperature = 1.0;               ///< outputs are divided by it
    double centre = 0.0;                    ///< of pairs: taken from every output first
    std::optional<double> threshold;        ///< of step probabilities: below it a step is wrong
    std::optional<Aggregation> aggregation; ///< of the steps of an answer; none: they stay apart

    double reward(double output) const { return (output - centre) / temperature; }
    /// Of a step: that it is correct.
    double probability(double output) const;
    /// Of an answer whose steps have these probabilities; none for an answer without steps, and where nothing
    /// is aggregated.
    std::optional<double> whole(std::span<const double> probabilities) const;
    /// "temperature 1.7, threshold 0.42, reward of the answer: min"; empty = outputs are taken as they are.
    std::string text() const;
    /// Errors: Usage naming what cannot be (a temperature of 0, ...).
    Status check() const;
    bool operator==(const RewardScale&) const = default;
};

/// An output and what is true of it, from 0 to 1. Of a pair: the difference of its rewards, and 1.
struct LabelledOutput
{
    double output = 0.0;
    double label = 0.0;
};

/// The temperature at which the log loss of sigmoid(output / temperature) is smallest. Errors: BadData where
/// none is: outputs that separate the labels perfectly, or rank them no better than chance.
Result<double> fitTemperature(std::span<const LabelledOutput> rows);

} // namespace assay
