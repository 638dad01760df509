#include "core/eval/step_metrics.h"

#include "core/base/check.h"
#include "core/eval/calibration.h"
#include "core/eval/ranking.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

namespace {

constexpr const char* kNoItems = "no items";
constexpr const char* kOneClass = "only one class among the labels";

} // namespace

bool predictedCorrect(double score, double threshold, ThresholdRule rule)
{
    return rule == ThresholdRule::BelowIsWrong ? !(score < threshold) : score > threshold;
}

Confusion& Confusion::operator+=(const Confusion& other)
{
    truePositive += other.truePositive;
    trueNegative += other.trueNegative;
    falsePositive += other.falsePositive;
    falseNegative += other.falseNegative;
    return *this;
}

Measure Confusion::accuracy() const
{
    return Measure::ratio(double(truePositive + trueNegative), double(count()), kNoItems);
}

Measure Confusion::predictedPositiveRate() const
{
    return Measure::ratio(double(truePositive + falsePositive), double(count()), kNoItems);
}

Measure Confusion::truePositiveRate() const
{
    return Measure::ratio(double(truePositive), double(positives()),
                          count() ? "no positive label" : kNoItems);
}

Measure Confusion::trueNegativeRate() const
{
    return Measure::ratio(double(trueNegative), double(negatives()),
                          count() ? "no negative label" : kNoItems);
}

Measure Confusion::balancedAccuracy() const
{
    if (count() == 0)
        return Measure::undefined(kNoItems);
    if (positives() == 0 || negatives() == 0)
        return Measure::undefined(kOneClass);
    return Measure::of(0.5 * (*truePositiveRate().value + *trueNegativeRate().value));
}

Measure Confusion::mcc() const
{
    if (count() == 0)
        return Measure::undefined(kNoItems);
    if (positives() == 0 || negatives() == 0)
        return Measure::undefined(kOneClass);
    const double predictedPositives = double(truePositive + falsePositive);
    const double predictedNegatives = double(trueNegative + falseNegative);
    if (predictedPositives == 0.0 || predictedNegatives == 0.0)
        return Measure::undefined("one class never predicted");
    const double covariance =
        double(truePositive) * double(trueNegative) - double(falsePositive) * double(falseNegative);
    return Measure::of(covariance / (std::sqrt(predictedPositives * double(positives())) *
                                     std::sqrt(double(negatives()) * predictedNegatives)));
}

Measure Confusion::precision(bool ofCorrect) const
{
    if (count() == 0)
        return Measure::undefined(kNoItems);
    return ofCorrect ? Measure::ratio(double(truePositive), double(truePositive + falsePositive),
                                      "nothing predicted positive")
                     : Measure::ratio(double(trueNegative), double(trueNegative + falseNegative),
                                      "nothing predicted negative");
}

Measure Confusion::f1(bool ofCorrect) const
{
    if (count() == 0)
        return Measure::undefined(kNoItems);
    const double hits = 2.0 * double(ofCorrect ? truePositive : trueNegative);
    return Measure::ratio(hits, hits + double(falsePositive + falseNegative),
                          ofCorrect ? "no positive label and nothing predicted positive"
                                    : "no negative label and nothing predicted negative");
}

Confusion confusion(std::span<const double> scores, std::span<const double> labels, double threshold,
                    ThresholdRule rule)
{
    CHECK(scores.size() == labels.size(), "scores and labels differ in length");
    Confusion result;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const bool predicted = predictedCorrect(scores[i], threshold, rule);
        if (isCorrect(labels[i]))
            ++(predicted ? result.truePositive : result.falseNegative);
        else
            ++(predicted ? result.falsePositive : result.trueNegative);
    }
    return result;
}

std::string nonFiniteReason(std::span<const double> scores)
{
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!std::isfinite(scores[i]))
            return fmt::format("non-finite score at index {}", i);
    return {};
}

namespace {

StepMetrics undefinedMetrics(const std::string& reason)
{
    StepMetrics all;
    for (auto* measure :
         {&all.baseRate, &all.accuracy, &all.predictedPositiveRate, &all.truePositiveRate,
          &all.trueNegativeRate, &all.balancedAccuracy, &all.mcc, &all.auroc, &all.tieRate,
          &all.averagePrecisionWrong, &all.averagePrecisionCorrect, &all.shareWrong, &all.brier, &all.logLoss,
          &all.logLossClipped, &all.meanEntropy, &all.variance, &all.trivialLoss})
        *measure = Measure::undefined(reason);
    return all;
}

} // namespace

StepMetrics stepMetrics(std::span<const double> scores, std::span<const double> labels, double threshold,
                        ThresholdRule rule)
{
    if (const auto reason = nonFiniteReason(scores); !reason.empty())
        return undefinedMetrics(reason);
    const Confusion counts = confusion(scores, labels, threshold, rule);
    const RankedLabels ranked(scores, labels);
    StepMetrics all;
    all.confusion = counts;
    all.baseRate = baseRate(labels);
    all.accuracy = counts.accuracy();
    all.predictedPositiveRate = counts.predictedPositiveRate();
    all.truePositiveRate = counts.truePositiveRate();
    all.trueNegativeRate = counts.trueNegativeRate();
    all.balancedAccuracy = counts.balancedAccuracy();
    all.mcc = counts.mcc();
    all.auroc = ranked.auroc();
    all.tieRate = ranked.tieRate();
    all.averagePrecisionWrong = ranked.averagePrecisionWrong();
    all.averagePrecisionCorrect = ranked.averagePrecisionCorrect();
    all.shareWrong = Measure::ratio(double(counts.negatives()), double(counts.count()), kNoItems);
    all.brier = brier(scores, labels);
    all.logLoss = logLoss(scores, labels);
    all.logLossClipped = logLossClipped(scores, labels);
    all.meanEntropy = meanEntropy(scores);
    all.variance = variance(scores);
    all.trivialLoss = trivialLoss(labels);
    return all;
}

} // namespace assay
