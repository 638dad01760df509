#include "core/diagnostics/label_census.h"

#include "core/eval/ranking.h"

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

void count(LabelCensus& census, const Label& label)
{
    if (!label.supervised) {
        ++census.ignored;
        return;
    }
    ++census.supervised;
    ++(isCorrect(label.value) ? census.correct : census.wrong);
    census.labelSum += label.value;
}

/// Supervised read-outs of a laid-out row.
std::int64_t supervisedReadOuts(const LaidOut& row)
{
    return std::count_if(row.targets.mask.begin(), row.targets.mask.end(),
                         [](std::uint8_t bit) { return bit != 0; }) /
           std::max(1, row.targets.outputs);
}

} // namespace

std::int64_t tokenisedSteps(const Example& example, std::span<const std::int32_t> separatorIds)
{
    for (const auto& [name, value] : example.metadata) {
        std::int64_t steps = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), steps);
        if (name == "steps" && error == std::errc{} && end == value.data() + value.size() && steps > 0)
            return steps;
    }
    const auto* row = example.tokenised();
    std::int64_t steps = 0, separatorsInRun = 0;
    bool inRun = false;
    for (std::size_t i = 0; row && i <= row->labels.size(); ++i) {
        const bool here = i < row->labels.size() && i < row->ids.size() && row->labels[i].supervised;
        if (here)
            separatorsInRun += std::count(separatorIds.begin(), separatorIds.end(), row->ids[i]);
        else if (inRun) {
            steps += std::max<std::int64_t>(1, separatorsInRun);
            separatorsInRun = 0;
        }
        inRun = here;
    }
    return steps;
}

LabelCensus takeCensus(const Dataset& dataset, std::span<const LaidOut> rows,
                       std::span<const std::int32_t> separatorIds)
{
    LabelCensus census;
    std::int64_t readOuts = 0;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        ++census.rows;
        if (const auto* row = example.stepwise()) {
            census.steps += static_cast<std::int64_t>(row->steps.size());
            for (const auto& step : row->steps)
                count(census, step.label);
        } else if (const auto* tokens = example.tokenised()) {
            census.steps += tokenisedSteps(example, separatorIds);
            for (const auto& label : tokens->labels)
                count(census, label);
        }
        if (std::size_t(i) < rows.size())
            readOuts += supervisedReadOuts(rows[std::size_t(i)]);
    }
    census.supervised = std::max(census.supervised, readOuts);
    return census;
}

} // namespace assay
