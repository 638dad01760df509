#include "core/eval/first_error.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace assay {

namespace {

constexpr const char* kNoErroneous = "no erroneous solution";

FirstErrorMetrics undefinedMetrics(FirstErrorMetrics metrics, const std::string& reason)
{
    for (auto* measure : {&metrics.accuracyWrong, &metrics.accuracyCorrect, &metrics.f1, &metrics.exactMatch,
                          &metrics.meanSignedDistance, &metrics.withinOne})
        *measure = Measure::undefined(reason);
    return metrics;
}

} // namespace

std::int32_t predictedFirstError(std::span<const double> scores, double threshold)
{
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] < threshold)
            return static_cast<std::int32_t>(i);
    return -1;
}

Measure firstErrorF1(double hitsWrong, double wrong, double hitsCorrect, double correct)
{
    if (wrong == 0.0)
        return Measure::undefined(kNoErroneous);
    if (correct == 0.0)
        return Measure::undefined("no correct solution");
    const double e = hitsWrong / wrong;
    const double c = hitsCorrect / correct;
    return Measure::of(e + c == 0.0 ? 0.0 : 2.0 * e * c / (e + c));
}

FirstErrorMetrics firstErrorMetrics(std::span<const ScoredSolution> solutions, double threshold)
{
    FirstErrorMetrics result;
    std::string nonFinite;
    double hitsWrong = 0.0, hitsCorrect = 0.0, distance = 0.0, predictedErrors = 0.0, within = 0.0;
    for (std::size_t i = 0; i < solutions.size(); ++i) {
        const auto& solution = solutions[i];
        ++(solution.firstError >= 0 ? result.erroneous : result.correct);
        for (const double score : solution.scores)
            if (!std::isfinite(score) && nonFinite.empty())
                nonFinite = fmt::format("non-finite score in solution {}", i);
        const std::int32_t predicted = predictedFirstError(solution.scores, threshold);
        const bool hit = predicted == solution.firstError;
        if (solution.firstError < 0) {
            hitsCorrect += hit ? 1.0 : 0.0;
            continue;
        }
        hitsWrong += hit ? 1.0 : 0.0;
        if (predicted >= 0) {
            predictedErrors += 1.0;
            distance += predicted - solution.firstError;
            within += std::abs(predicted - solution.firstError) <= 1 ? 1.0 : 0.0;
        }
    }
    if (!nonFinite.empty())
        return undefinedMetrics(result, nonFinite);
    const double wrong = double(result.erroneous), correct = double(result.correct);
    result.accuracyWrong = Measure::ratio(hitsWrong, wrong, kNoErroneous);
    result.accuracyCorrect = Measure::ratio(hitsCorrect, correct, "no correct solution");
    result.f1 = firstErrorF1(hitsWrong, wrong, hitsCorrect, correct);
    result.exactMatch = Measure::ratio(hitsWrong + hitsCorrect, wrong + correct, "no solutions");
    result.meanSignedDistance =
        Measure::ratio(distance, predictedErrors, "no erroneous solution with a predicted error");
    result.withinOne = Measure::ratio(within, wrong, kNoErroneous);
    return result;
}

} // namespace assay
