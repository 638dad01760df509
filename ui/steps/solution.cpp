#include "ui/steps/solution.h"

#include "ui/number_text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

/// Index among the steps, or among the answers.
std::int32_t placeOf(const StoredPrediction& prediction)
{
    return prediction.step < 0 ? prediction.readOut : prediction.step;
}

} // namespace

std::optional<double> ReadStep::loss() const
{
    if (!read || !supervised)
        return std::nullopt;
    // From the logit, not from the rounded probability: log(sigmoid(x)) stays finite for confident steps.
    const auto logSigmoid = [](double x) {
        return x >= 0.0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
    };
    return -(label * logSigmoid(score) + (1.0 - label) * logSigmoid(-score));
}

int Solution::firstTrueError() const
{
    const auto found =
        std::find_if(steps.begin(), steps.end(), [](const ReadStep& s) { return s.labelledWrong(); });
    return found == steps.end() ? -1 : static_cast<int>(found - steps.begin());
}

int Solution::firstPredictedError(double threshold) const
{
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [threshold](const ReadStep& s) { return s.predictedWrong(threshold); });
    return found == steps.end() ? -1 : static_cast<int>(found - steps.begin());
}

std::optional<SolutionScores> Solution::scores() const
{
    SolutionScores result;
    result.minimum = 1.0;
    int count = 0;
    for (const auto& step : steps) {
        if (!step.read)
            continue;
        ++count;
        result.minimum = std::min(result.minimum, step.probability);
        result.product *= step.probability;
        result.mean += step.probability;
        result.last = step.probability;
    }
    if (count == 0)
        return std::nullopt;
    result.mean /= count;
    return result;
}

QString Solution::stepName(int step) const
{
    if (pair)
        return step == 0 ? QStringLiteral("Chosen") : QStringLiteral("Rejected");
    return QStringLiteral("Step %1").arg(step + 1);
}

std::optional<double> Solution::pairMargin() const
{
    if (!pair || steps.size() < 2 || !steps[0].read || !steps[1].read)
        return std::nullopt;
    return steps[0].score - steps[1].score;
}

Solution makeSolution(StoredExample example, std::span<const EvaluationTrack> order,
                      std::span<const StoredPrediction> predictions, std::int64_t shown)
{
    Solution solution;
    solution.evaluation = shown;
    std::size_t count = example.steps.size();
    for (const auto& prediction : predictions) {
        solution.pair = solution.pair || prediction.step < 0;
        count = std::max(count, static_cast<std::size_t>(std::max(0, placeOf(prediction) + 1)));
    }
    solution.steps.resize(count);
    for (std::size_t i = 0; i < example.steps.size(); ++i)
        solution.steps[i].text = example.steps[i];
    solution.tracks.assign(order.begin(), order.end());
    for (auto& track : solution.tracks)
        track.probabilities.assign(count, std::nullopt);
    const StoredPrediction* previous = nullptr;
    for (const auto& prediction : predictions) {
        // A head with several outputs may store a row for each: the first one speaks for the read-out.
        const bool further = previous && previous->evaluation == prediction.evaluation &&
                             previous->readOut == prediction.readOut;
        previous = &prediction;
        if (placeOf(prediction) < 0 || further)
            continue;
        const auto step = static_cast<std::size_t>(placeOf(prediction));
        for (auto& track : solution.tracks)
            if (track.evaluation == prediction.evaluation)
                track.probabilities[step] = prediction.probability;
        if (prediction.evaluation != shown)
            continue;
        auto& read = solution.steps[step];
        read.read = true;
        read.score = prediction.score;
        read.probability = prediction.probability;
        read.label = prediction.label;
        read.supervised = prediction.supervised;
    }
    solution.example = std::move(example);
    return solution;
}

QString SolutionTag::text() const
{
    switch (kind) {
    case SolutionTagKind::NoError:
        return QStringLiteral("no error");
    case SolutionTagKind::Found:
        return QStringLiteral("found");
    case SolutionTagKind::Missed:
        return QStringLiteral("missed");
    case SolutionTagKind::Late:
        return QStringLiteral("late by %1").arg(steps);
    case SolutionTagKind::Early:
        return QStringLiteral("early by %1").arg(steps);
    case SolutionTagKind::FalseAlarm:
        return QStringLiteral("false alarm");
    }
    return {};
}

SolutionTag solutionTag(int firstTrueError, int firstPredictedError)
{
    if (firstTrueError < 0)
        return {firstPredictedError < 0 ? SolutionTagKind::NoError : SolutionTagKind::FalseAlarm, 0};
    if (firstPredictedError < 0)
        return {SolutionTagKind::Missed, 0};
    if (firstPredictedError > firstTrueError)
        return {SolutionTagKind::Late, firstPredictedError - firstTrueError};
    if (firstPredictedError < firstTrueError)
        return {SolutionTagKind::Early, firstTrueError - firstPredictedError};
    return {SolutionTagKind::Found, 0};
}

QString ribbonDescription(const SolutionSummary& solution, double threshold)
{
    QStringList parts;
    for (std::size_t i = 0; i < solution.probabilities.size(); ++i) {
        const double probability = solution.probabilities[i];
        QString part = QStringLiteral("step %1 probability %2").arg(i + 1).arg(metricText(probability, 2));
        if (probability < threshold)
            part += QStringLiteral(" below threshold");
        if (i < solution.supervised.size() && i < solution.labels.size()) {
            if (!solution.supervised[i])
                part += QStringLiteral(" without label");
            else
                part += solution.labels[i] < 0.5 ? QStringLiteral(" labelled wrong")
                                                 : QStringLiteral(" labelled correct");
        }
        parts << part;
    }
    return QStringLiteral("%1 steps: ").arg(solution.probabilities.size()) + parts.join(QStringLiteral(", "));
}

} // namespace assay
