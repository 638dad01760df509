#pragma once

#include "core/store/run_store.h"

#include <cmath>
#include <string>
#include <vector>

namespace assay::tests {

/// A pair as a store keeps it after an evaluation: two rewards.
struct ScoredPair
{
    std::string prompt, chosen, rejected;
    double chosenReward = 0.0, rejectedReward = 0.0;
};

/// A store with one finished run over pairs, evaluated twice: at step 0 all rewards are 0.
inline Result<RunId> fillPairStore(const StorePlace& place, const std::vector<ScoredPair>& pairs)
{
    TRY(const auto writer, RunWriter::open(place));
    std::vector<StoredExample> examples;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        StoredExample example;
        example.id = "pair-" + std::to_string(i);
        example.source = "pairs.jsonl";
        example.row = static_cast<std::int64_t>(i);
        example.prompt = pairs[i].prompt;
        example.steps = {pairs[i].chosen, pairs[i].rejected};
        examples.push_back(std::move(example));
    }
    TRY_STATUS(writer->addExamples(examples));
    NewRun run;
    run.name = "pairs-demo";
    run.task = "Pairs";
    run.configJson = R"({"layout.name":"pairwise"})";
    run.plannedSteps = 100;
    TRY(const auto id, writer->beginRun(run));
    for (const std::int64_t step : {0, 100}) {
        EvaluationRecord record;
        record.step = step;
        record.examples = static_cast<std::int64_t>(pairs.size());
        TRY(const auto evaluation, writer->appendEvaluation(id, record));
        std::vector<StoredPrediction> rows;
        for (std::size_t i = 0; i < pairs.size(); ++i)
            for (int side = 0; side < 2; ++side) {
                StoredPrediction row;
                row.evaluation = evaluation;
                row.exampleId = examples[i].id;
                row.readOut = side;
                row.step = -1;
                const double own = side == 0 ? pairs[i].chosenReward : pairs[i].rejectedReward;
                const double other = side == 0 ? pairs[i].rejectedReward : pairs[i].chosenReward;
                row.score = step == 0 ? 0.0 : own;
                row.probability = step == 0 ? 0.5 : 1.0 / (1.0 + std::exp(other - own));
                row.label = side == 0 ? 1.0 : 0.0;
                row.supervised = true;
                rows.push_back(std::move(row));
            }
        TRY_STATUS(writer->appendPredictions(id, evaluation, rows));
    }
    TRY_STATUS(writer->setStatus(id, RunStatus::Finished, ""));
    TRY_STATUS(writer->flush());
    return id;
}

/// Six pairs: two right, one tie, two wrong (one of them confidently), one right by far.
inline std::vector<ScoredPair> samplePairs()
{
    return {{"How do I keep bread fresh?", "Keep it in a cloth bag, cut side down.", "Put it in water.", 1.2,
             0.4},
            {"Name a prime number between 20 and 25.", "23", "21, because it is odd.", -0.3, 0.2},
            {"What is the capital of France?", "Paris.", "I do not know.", 0.5, 0.5},
            {"Why is the sky blue?", "Air scatters short waves of light more than long ones.",
             "Because the sea is blue and the sky reflects it.", -1.5, 1.4},
            {"Translate \"good morning\" into German.", "Guten Morgen", "Gute Nacht", 2.5, -0.8},
            {"Give me one tip for a job interview.", "Read about the firm the evening before.", "Be late.",
             0.6, 0.5}};
}

} // namespace assay::tests
