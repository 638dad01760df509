#include "core/run/evaluated_rows.h"

#include "core/eval/pairs/pair_metrics.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

std::int32_t stepTokens(const LaidOut& row, std::int32_t step)
{
    std::int32_t tokens = 0;
    for (const auto& sequence : row.sequences)
        tokens += static_cast<std::int32_t>(std::count(sequence.step.begin(), sequence.step.end(), step));
    return tokens;
}

std::int32_t candidateTokens(const LaidOut& row, std::size_t score)
{
    const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[score].readOutA)];
    return static_cast<std::int32_t>(row.sequences[static_cast<std::size_t>(readOut.sequence)].ids.size());
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
        Prediction prediction;
        prediction.example = index;
        prediction.readOut = static_cast<std::int32_t>(i);
        prediction.step = step;
        prediction.label = row.targets.value[i];
        prediction.supervised = row.targets.mask[i] != 0;
        prediction.tokens = step < 0 ? candidateTokens(row, i) : stepTokens(row, step);
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

std::vector<double> pairMargins(const PreparedSide& side)
{
    std::vector<double> margins;
    bool any = false;
    for (const auto row : side.kept) {
        const auto& margin = side.rows[static_cast<std::size_t>(row)].targets.margin;
        margins.push_back(margin.empty() ? 0.0 : double(margin.front()));
        any = any || !margin.empty();
    }
    return any ? margins : std::vector<double>();
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
