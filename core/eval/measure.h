#pragma once

#include <optional>
#include <string>
#include <utility>

namespace assay {

/// A number, or the reason why there is none. Undefined is said, never zero.
struct Measure
{
    std::optional<double> value;
    std::string reason; ///< set exactly when there is no value

    static Measure of(double number) { return {number, {}}; }
    static Measure undefined(std::string why) { return {std::nullopt, std::move(why)}; }
    /// numerator / denominator, or `why` when the denominator is zero.
    static Measure ratio(double numerator, double denominator, const char* why)
    {
        return denominator == 0.0 ? undefined(why) : of(numerator / denominator);
    }
    explicit operator bool() const { return value.has_value(); }
};

} // namespace assay
