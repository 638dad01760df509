#pragma once

#include "core/config/experiment.h"
#include "core/data/demo_rows.h"

#include <filesystem>
#include <fstream>

namespace assay::tests {

/// 200 made-up solutions in `path`, and an experiment that trains a tiny new model on them for far longer
/// than any test looks on.
inline ExperimentConfig smallLongRun(const std::filesystem::path& path)
{
    DemoOptions options;
    options.rows = 200;
    std::ofstream(path) << demoJsonLines(demoRows(1, "window", options));
    ExperimentConfig config;
    config.data.train = path.string();
    config.data.evaluationShare = 0.1;
    config.backbone.source = "scratch";
    config.backbone.width = 32;
    config.backbone.layers = 2;
    config.backbone.mlpWidth = 48;
    config.batch.examples = 8;
    config.schedule.epochs = 1000;
    config.evaluation.everySteps = 0;
    config.evaluation.bootstrapSamples = 20;
    config.checkpoint.everySteps = 0;
    config.compute.dtype = "float32";
    config.compute.threads = 1;
    return config;
}

} // namespace assay::tests
