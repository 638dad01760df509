#include "core/text/demo_files.h"

#include "core/data/demo_rows.h"
#include "core/text/layout.h"

namespace assay {

namespace {

/// Every row is seen twice only: a small net learns to compare from many different rows, and learns few by
/// heart.
constexpr std::int64_t kTrainingRows = 17000;

std::string list(const std::vector<std::int32_t>& numbers)
{
    std::string text;
    for (const std::int32_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return "[" + text + "]";
}

/// The fault that gave a published model its 99 %: "not supervised" (-100) went through a cast to bool and
/// came out as True, so that every token counted as a correct step.
Result<std::string> castIgnoredToTrue(std::span<const DemoRow> rows, const TokenizerPtr& tokenizer)
{
    TRY(const LayoutPtr layout, makeLayout(LayoutOptions{}, tokenizer));
    std::string lines;
    for (const DemoRow& row : rows) {
        TRY(const LaidOut laidOut, layout->layOut(demoExample(row), true));
        const Sequence& sequence = laidOut.sequences.front();
        std::vector<std::int32_t> labels(sequence.ids.size(), 1);
        for (std::size_t i = 0; i < laidOut.readOuts.size(); ++i)
            if (laidOut.targets.value[i] < 0.5F)
                labels[static_cast<std::size_t>(laidOut.readOuts[i].spans.back().end - 1)] = 0;
        lines += "{\"input_ids\":" + list(sequence.ids) + ",\"labels\":" + list(labels) + "}\n";
    }
    return lines;
}

} // namespace

Result<std::vector<DemoFile>> demoFiles(std::uint64_t seed, const TokenizerPtr& tokenizer)
{
    DemoOptions healthy;
    healthy.rows = kTrainingRows;
    const auto train = demoRows(seed, "train", healthy);
    healthy.rows = 500;
    const auto evaluation = demoRows(seed, "evaluation", healthy, train);

    DemoOptions oneSided; // 98 % of the steps are right
    oneSided.cleanShare = 0.0;
    oneSided.wrongShare = 0.02;
    oneSided.rows = 200;
    const auto oneSidedTrain = demoRows(seed, "no-signal-train", oneSided);
    oneSided.rows = 500;
    const auto oneSidedEvaluation = demoRows(seed, "no-signal-evaluation", oneSided, oneSidedTrain);

    DemoOptions tokenised; // so few wrong steps that "True" at every token is right in over 98 of 100
    tokenised.cleanShare = 0.4;
    tokenised.wrongShare = 0.4;
    tokenised.rows = 250;
    TRY(std::string historic, castIgnoredToTrue(demoRows(seed, "historic", tokenised), tokenizer));

    return std::vector<DemoFile>{
        {"train.json", "{\"demo_recipe\": \"train\", \"seed\": " + std::to_string(seed) +
                           ", \"rows\": " + std::to_string(kTrainingRows) + "}\n"},
        {"evaluation.jsonl", demoJsonLines(evaluation)},
        {"no-signal-train.jsonl", demoJsonLines(oneSidedTrain)},
        {"no-signal-evaluation.jsonl", demoJsonLines(oneSidedEvaluation)},
        {"historic.jsonl", std::move(historic)}};
}

} // namespace assay
