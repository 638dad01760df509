#include "core/eval/step_view.h"

#include "core/base/check.h"
#include "core/eval/ranking.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace assay {

StepView stepView(const EvaluatedSet& set)
{
    StepView view;
    std::unordered_map<std::string, std::int32_t> groupIndex;
    std::int32_t current = -1;
    bool supervisedHere = false;
    ScoredSolution solution;
    std::int32_t group = 0;
    const auto finish = [&] {
        if (current >= 0 && supervisedHere) {
            view.solutions.push_back(std::move(solution));
            view.solutionGroup.push_back(group);
        }
        solution = {};
        supervisedHere = false;
    };
    for (const auto& prediction : set.predictions) {
        if (prediction.output != 0)
            continue;
        if (prediction.example != current) {
            finish();
            current = prediction.example;
            CHECK(current >= 0 && std::size_t(current) < set.examples.size(),
                  "prediction without its example");
            const auto& name = set.examples[std::size_t(current)].group;
            group = groupIndex.emplace(name, static_cast<std::int32_t>(groupIndex.size())).first->second;
        }
        if (prediction.supervised) {
            if (!isCorrect(prediction.label) && solution.firstError < 0)
                solution.firstError = static_cast<std::int32_t>(solution.scores.size());
            supervisedHere = true;
            view.scores.push_back(prediction.score);
            view.probabilities.push_back(prediction.probability);
            view.labels.push_back(prediction.label);
            view.step.push_back(prediction.step);
            view.example.push_back(current);
            view.group.push_back(group);
        }
        solution.scores.push_back(prediction.probability);
    }
    finish();
    view.groups = static_cast<std::int32_t>(groupIndex.size());
    return view;
}

Measure withinSolutionAuroc(const StepView& view)
{
    double sum = 0.0, count = 0.0;
    for (std::size_t begin = 0; begin < view.example.size();) {
        std::size_t end = begin;
        while (end < view.example.size() && view.example[end] == view.example[begin])
            ++end;
        const std::span<const double> scores(view.scores.data() + begin, end - begin);
        const std::span<const double> labels(view.labels.data() + begin, end - begin);
        if (const Measure one = auroc(scores, labels)) {
            sum += *one.value;
            count += 1.0;
        }
        begin = end;
    }
    return Measure::ratio(sum, count, "no solution with both a correct and a wrong step");
}

} // namespace assay
