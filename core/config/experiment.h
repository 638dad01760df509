#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// Plain structs with defaults. What each field means, its range, unit and condition stand once, in
// fields.cpp; JSON keys, flags, form rows and help are made from that table. Ids are stable: old experiments
// must open.

struct RunConfig
{
    std::string name;
    std::vector<std::string> tags;
    std::string parent; ///< id of the run this experiment was cloned from; empty = none
    std::int64_t seed = 0;
    std::int64_t orderSeed = -1;   ///< -1 = seed
    std::int64_t headSeed = -1;    ///< -1 = seed
    std::int64_t dropoutSeed = -1; ///< -1 = seed
    std::int64_t splitSeed = -1;   ///< -1 = seed
    bool overfitOneBatch = false;
    bool shuffleLabels = false;
    std::string overrideReason; ///< why red label checks were overridden; empty = not overridden
};

struct DataConfig
{
    std::string train;
    std::string evaluation; ///< empty = split from train
    std::string format = "auto";
    double evaluationShare = 0.1;
    std::string splitFromRun;
    std::string badRows = "fail";
    std::int64_t maximumRows = 0;
};

struct LayoutConfig
{
    std::string name = "stepwise";
    std::string stepSeparator = "\n";
    std::string promptSeparator = "\n";
    bool addBos = true;
    std::optional<std::int64_t> maximumTokens = 1024;
    std::string truncation = "cut-right";
    bool trainOnLastStepOnly = false;
    std::optional<std::int64_t> maximumPromptTokens;
    std::optional<std::int64_t> maximumCompletionTokens;
    bool appendEos = true;
    bool parseSpecial = false;
    std::string stepTag = "ки";
    std::string conversation = "none";
    std::string system;
    bool readBeforeTag = false;
    bool addStepTag = false;
};

struct BackboneConfig
{
    std::string source = "folder";
    std::string folder;
    std::string checkpoint; ///< run id or run id:step, or the folder of a checkpoint
    std::string tokenizer;  ///< scratch only; empty = the demo's
    std::int64_t width = 128;
    std::int64_t layers = 4;
    std::int64_t heads = 4;
    std::int64_t keyValueHeads = 4;
    std::int64_t mlpWidth = 352;
    double ropeTheta = 10000.0;
    double initialDeviation = 0.02;
    bool frozen = false;
};

struct HeadConfig
{
    std::string kind = "auto";
    std::string declaration = "auto"; ///< auto, none, id or path
    std::string initialWeights;
    bool fresh = false; ///< a new head although the folder has one
    double dropout = 0.0;

    /// The head of a checkpoint: how the run began it no longer matters.
    void takeFromFolder()
    {
        initialWeights.clear();
        fresh = false;
    }
};

struct ObjectiveConfig
{
    std::string name = "auto";
    double wrongWeight = 1.0;
    double centring = 0.0;
};

struct OptimiserConfig
{
    double learningRate = 1e-4;
    double weightDecay = 0.01;
    std::vector<double> betas = {0.9, 0.999};
    double epsilon = 1e-8;
    double maximumGradientNorm = 1.0;
};

struct BatchConfig
{
    std::int64_t examples = 8;
    std::int64_t accumulation = 1;
    std::int64_t maximumTokens = 0;
    std::string order = "shuffled";
    std::string execution = "merged";
};

struct ScheduleConfig
{
    std::string kind = "linear";
    std::int64_t warmupSteps = 0;
    std::int64_t epochs = 1;
    std::int64_t maximumSteps = 0;
    double finalShare = 0.0;
    bool stopEarly = false;
    std::string stopMetric = "auto";
    std::int64_t patience = 5;
    double minimumImprovement = 0.0;
};

struct EvaluationConfig
{
    std::int64_t everySteps = 100;
    bool beforeStart = true;
    double threshold = 0.5;
    std::int64_t maximumExamples = 0;
    std::int64_t bootstrapSamples = 200;
};

struct CheckpointConfig
{
    std::int64_t everySteps = 500;
    std::optional<std::int64_t> keepLast = 3;
    bool keepBest = true;
    bool saveBest = false;
    std::string bestMetric = "auto";
};

struct ComputeConfig
{
    std::string device = "auto";
    std::string dtype = "auto";
    std::int64_t threads = 0;
    bool activationCheckpointing = false;
    std::int64_t prefetch = 4;
};

/// An experiment: everything that, with the data, decides what a run computes.
struct ExperimentConfig
{
    RunConfig run;
    DataConfig data;
    LayoutConfig layout;
    BackboneConfig backbone;
    HeadConfig head;
    ObjectiveConfig objective;
    OptimiserConfig optimiser;
    BatchConfig batch;
    ScheduleConfig schedule;
    EvaluationConfig evaluation;
    CheckpointConfig checkpoint;
    ComputeConfig compute;

    std::uint64_t seedFor(std::int64_t own) const
    {
        return static_cast<std::uint64_t>(own >= 0 ? own : run.seed);
    }
};

} // namespace assay
