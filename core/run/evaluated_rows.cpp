#include "core/run/evaluated_rows.h"

#include "core/eval/pairs/pair_metrics.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

struct Extent
{
    std::int32_t tokens = 0, characters = 0;
};

Extent stepExtent(const Example& example, const LaidOut& row, std::int32_t step)
{
    Extent extent;
    for (const auto& sequence : row.sequences)
        extent.tokens +=
            static_cast<std::int32_t>(std::count(sequence.step.begin(), sequence.step.end(), step));
    if (const auto* steps = example.stepwise();
        steps && step >= 0 && step < static_cast<std::int32_t>(steps->steps.size()))
        extent.characters =
            static_cast<std::int32_t>(steps->steps[static_cast<std::size_t>(step)].text.size());
    return extent;
}

Extent candidateExtent(const Example& example, const LaidOut& row, std::size_t score)
{
    Extent extent;
    const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[score].readOutA)];
    extent.tokens =
        static_cast<std::int32_t>(row.sequences[static_cast<std::size_t>(readOut.sequence)].ids.size());
    if (const auto* preference = example.preference(); preference && score < preference->candidates.size()) {
        const auto& candidate = preference->candidates[score];
        std::size_t bytes = candidate.text.size();
        for (const auto& message : candidate.messages)
            bytes += message.content.size();
        extent.characters = static_cast<std::int32_t>(bytes);
    }
    return extent;
}

void addRow(EvaluatedSet& set, const Example& example, const LaidOut& row)
{
    const auto index = static_cast<std::int32_t>(set.examples.size());
    EvaluatedExample evaluated{example.id, example.group, example.row, 0};
    evaluated.steps = example.stepwise() ? static_cast<std::int32_t>(example.stepwise()->steps.size())
                                         : static_cast<std::int32_t>(row.scores.size());
    set.examples.push_back(std::move(evaluated));
    for (std::size_t i = 0; i < row.scores.size(); ++i) {
        const auto step = row.scoreStep[i];
        const auto extent = step < 0 ? candidateExtent(example, row, i) : stepExtent(example, row, step);
        Prediction prediction;
        prediction.example = index;
        prediction.readOut = static_cast<std::int32_t>(i);
        prediction.step = step;
        prediction.label = row.targets.value[i];
        prediction.supervised = row.targets.mask[i] != 0;
        prediction.tokens = extent.tokens;
        prediction.characters = extent.characters;
        set.predictions.push_back(prediction);
    }
}

} // namespace

EvaluatedSet rowsWithoutScores(const PreparedSide& side)
{
    EvaluatedSet set;
    for (const auto row : side.kept)
        addRow(set, side.dataset->at(row), side.rows[static_cast<std::size_t>(row)]);
    return set;
}

void setPairProbabilities(EvaluatedSet& set)
{
    for (std::size_t begin = 0; begin < set.predictions.size();) {
        std::size_t end = begin + 1;
        while (end < set.predictions.size() && set.predictions[end].example == set.predictions[begin].example)
            ++end;
        auto &first = set.predictions[begin], &second = set.predictions[end - 1];
        if (end - begin == 2 && first.step < 0 && second.step < 0) {
            const double gap = double(first.score) - double(second.score);
            first.probability = static_cast<float>(1.0 / (1.0 + std::exp(-gap)));
            second.probability = static_cast<float>(1.0 / (1.0 + std::exp(gap)));
        }
        begin = end;
    }
}

double trivialPairLoss(const PreparedSide& side)
{
    double sum = 0.0, pairs = 0.0;
    for (const auto row : side.kept) {
        const auto& targets = side.rows[static_cast<std::size_t>(row)].targets;
        for (std::size_t group = 0; group + 1 < targets.groupOffsets.size(); ++group) {
            sum += pairLogLoss(targets.margin.empty() ? 0.0 : -double(targets.margin[group]));
            pairs += 1.0;
        }
    }
    return pairs > 0.0 ? sum / pairs : std::log(2.0);
}

} // namespace assay
