#pragma once

#include "core/eval/evaluated_set.h"
#include "core/eval/first_error.h"
#include "core/eval/measure.h"

#include <cstdint>
#include <vector>

namespace assay {

/// The supervised step predictions of a set as parallel columns, and its solutions for first-error
/// localisation.
struct StepView
{
    std::vector<double> scores, probabilities, labels; ///< [supervised steps]
    std::vector<std::int32_t> step, example, group;    ///< [supervised steps]
    std::vector<ScoredSolution> solutions;             ///< examples with at least one supervised step
    std::vector<std::int32_t> solutionGroup;           ///< [solutions]
    std::int32_t groups = 0;
};

/// Only output 0 and supervised predictions. A solution's first error is its first step labelled below 0.5;
/// scores of its unsupervised steps take part in the search for the first predicted error, as they would in
/// use.
StepView stepView(const EvaluatedSet& set);

/// AUROC of every solution that has both classes, averaged: ranks the wrong step among the steps of its own
/// solution, which removes the difficulty of the problem.
Measure withinSolutionAuroc(const StepView& view);

} // namespace assay
