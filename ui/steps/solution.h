#pragma once

#include "core/store/records.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// A step with what one evaluation said about it.
struct ReadStep
{
    std::string text;
    bool read = false; ///< whether the evaluation scored it
    double score = 0.0, probability = 0.0;
    double label = 0.0;
    bool supervised = false;

    bool labelledWrong() const { return supervised && label < 0.5; }
    /// Below the threshold = predicted wrong; equality counts as correct.
    bool predictedWrong(double threshold) const { return read && probability < threshold; }
    /// Cross-entropy of the label under the step probability, unweighted (nats); empty without label or
    /// score.
    std::optional<double> loss() const;
};

/// Step probabilities of a solution in one evaluation of the run.
struct EvaluationTrack
{
    std::int64_t evaluation = 0;
    std::int64_t step = 0;                            ///< optimiser step
    std::vector<std::optional<double>> probabilities; ///< [steps of the solution]
};

/// How a solution is summed up to one number.
struct SolutionScores
{
    double minimum = 0.0, product = 1.0, mean = 0.0, last = 0.0;
};

/// A solution as the Steps page reads it.
struct Solution
{
    StoredExample example;
    std::int64_t evaluation = 0;
    std::vector<ReadStep> steps;
    std::vector<EvaluationTrack> tracks; ///< every evaluation of the run, oldest first
    /// The steps are whole answers, best first; the score of one is its reward, its probability that it is
    /// preferred.
    bool pair = false;

    int firstTrueError() const;
    int firstPredictedError(double threshold) const;
    /// Over the steps that were scored; empty if none was.
    std::optional<SolutionScores> scores() const;
    /// "Step 3"; of a pair "Chosen" or "Rejected".
    QString stepName(int step) const;
    /// Reward of chosen less that of rejected; empty unless both were scored.
    std::optional<double> pairMargin() const;
};

/// Joins the text of an example with its predictions in every evaluation; `shown` is the evaluation to look
/// at. Whole answers (step -1) come in the order of their read-outs. A step with several read-outs takes its
/// last one, which is where the layout reads a step.
Solution makeSolution(StoredExample example, std::span<const EvaluationTrack> order,
                      std::span<const StoredPrediction> predictions, std::int64_t shown);

enum class SolutionTagKind { NoError, Found, Missed, Late, Early, FalseAlarm };

/// How the first predicted error relates to the first labelled one.
struct SolutionTag
{
    SolutionTagKind kind = SolutionTagKind::NoError;
    int steps = 0; ///< distance of Late and Early
    /// "missed", "late by 2", ...
    QString text() const;
};

/// Both are 0-based, -1 = none.
SolutionTag solutionTag(int firstTrueError, int firstPredictedError);

/// "4 steps. Step 3 labelled wrong, probability 0.94, ...": a ribbon for people who cannot see it.
QString ribbonDescription(const SolutionSummary& solution, double threshold);

} // namespace assay
