#pragma once

#include "core/config/experiment.h"
#include "core/run/session.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::tests {

/// Single-digit sums, some of them wrong: enough to train on, small enough for a second.
inline std::string rowsText(int count, bool tokenisedFault = false)
{
    std::string text;
    std::uint32_t state = 12345;
    const auto next = [&state](std::uint32_t bound) {
        state = state * 1664525U + 1013904223U;
        return (state >> 16) % bound;
    };
    for (int i = 0; i < count; ++i) {
        std::string steps, labels;
        for (int s = 0; s < 4; ++s) {
            const auto a = next(5), b = next(5);
            const bool wrong = next(3) == 0;
            const auto shown = wrong ? (a + b + 1 + next(3)) : a + b;
            steps += std::string(s ? "," : "") + "\"" + std::to_string(a) + " + " + std::to_string(b) +
                     " = " + std::to_string(shown) + "\"";
            labels += std::string(s ? "," : "") + (wrong ? "false" : "true");
        }
        text += "{\"prompt\":\"Problem " + std::to_string(i) + "\",\"completions\":[" + steps +
                "],\"labels\":[" + labels + "]}\n";
    }
    if (tokenisedFault) {
        text.clear();
        for (int i = 0; i < count; ++i) {
            std::string ids, labels;
            for (int t = 0; t < 24; ++t) {
                ids += std::string(t ? "," : "") +
                       std::to_string(t % 6 == 5 ? 13 : 20 + static_cast<int>(next(60)));
                labels += std::string(t ? "," : "") + (t % 6 == 5 && next(5) == 0 ? "0" : "1");
            }
            text += "{\"input_ids\":[" + ids + "],\"labels\":[" + labels + "]}\n";
        }
    }
    return text;
}

inline ExperimentConfig smallConfig(const std::filesystem::path& data)
{
    ExperimentConfig config;
    config.data.train = data.string();
    config.data.evaluationShare = 0.25;
    config.backbone.source = "scratch";
    config.backbone.width = 16;
    config.backbone.layers = 1;
    config.backbone.heads = 2;
    config.backbone.keyValueHeads = 1;
    config.backbone.mlpWidth = 24;
    config.optimiser.learningRate = 1e-2;
    config.head.dropout = 0.1;
    config.batch.examples = 4;
    config.batch.accumulation = 2;
    config.schedule.epochs = 4;
    config.schedule.maximumSteps = 12;
    config.evaluation.everySteps = 4;
    config.evaluation.bootstrapSamples = 50;
    config.checkpoint.everySteps = 5;
    config.compute.dtype = "float32";
    config.compute.threads = 1;
    return config;
}

/// Remembers what it hears; can ask to stop after some steps.
class Listener : public RunObserver
{
public:
    std::vector<StepRecord> steps;
    std::vector<EvaluationRecord> evaluations;
    std::vector<CheckpointRecord> checkpoints;
    std::vector<EventRecord> events;
    Report preflight;
    std::stop_source stop;
    std::int64_t stopAfter = -1;

    void preflightDone(const Report& report) override { preflight = report; }
    void stepDone(const StepRecord& record) override
    {
        steps.push_back(record);
        if (record.step == stopAfter)
            stop.request_stop();
    }
    void evaluationDone(const EvaluationRecord& record) override { evaluations.push_back(record); }
    void checkpointSaved(const CheckpointRecord& record) override { checkpoints.push_back(record); }
    void event(const EventRecord& record) override { events.push_back(record); }
};

} // namespace assay::tests
