#pragma once

#include "core/files/weight_folder.h"
#include "core/model/model_folder.h"
#include "core/model/weight_loader.h"
#include "core/train/schedule.h"
#include "core/train/trainer.h"
#include "tests/support/golden_json.h"

#include <ATen/TensorOperators.h>

#include <functional>
#include <map>

namespace assay::tests {

inline std::filesystem::path goldenFolder()
{
    return testData() / "golden-trl";
}

/// The small stories model with a head of the golden set (`prm_head_init.safetensors`, ...).
inline Result<std::unique_ptr<RewardModel>> storiesModel(at::ScalarType type, const char* head,
                                                         const char* headFile)
{
    TRY(auto folder, openModelFolder(testData() / "derived-stories260k-hf", type, MissingHead::Allow));
    TRY(const auto file, WeightFolder::open(goldenFolder() / headFile));
    WeightLoader loader(file, type);
    const HeadKind& kind = *headKind(head);
    TRY(auto weight, loader.take("score.weight", {kind.outputs, folder.backbone->width()}));
    at::Tensor bias;
    if (kind.bias) {
        TRY(bias, loader.take("score.bias", {kind.outputs}));
    }
    return std::make_unique<RewardModel>(std::move(folder.config), std::move(folder.backbone),
                                         makeHead(kind, {std::move(weight), std::move(bias)}), false);
}

inline CollateOptions goldenCollation(Execution execution, at::ScalarType type)
{
    CollateOptions options;
    options.execution = execution;
    options.scoreType = type;
    options.minimumShared = 1;
    return options;
}

/// Tolerances (relative) up to a step, of the golden set's own table.
struct Tolerance
{
    double loss, norm;
    int steps;
};

struct GoldenCurve
{
    std::vector<double> loss, norm, rate;
    std::unique_ptr<RewardModel> model;
};

using RowSource = std::function<LaidOut(std::int64_t row)>;

/// Trains as a run of `training_curves.json` says.
inline GoldenCurve trainGolden(const Json& run, std::unique_ptr<RewardModel> model, const RowSource& rows,
                               const Objective& objective, at::ScalarType type, Execution execution)
{
    const auto& options = run["options"];
    GoldenCurve curve;
    curve.model = std::move(model);
    OptimiserConfig config;
    config.learningRate = options["lr"];
    config.weightDecay = options["wd"];
    AdamW optimiser(curve.model->trainable(), config);
    const auto communicator = singleRank();
    TrainerOptions trainerOptions;
    trainerOptions.forward.compute = type;
    trainerOptions.maximumGradientNorm = options["max_grad_norm"];
    Trainer trainer(*curve.model, objective, optimiser, *communicator, trainerOptions);
    ScheduleConfig schedule;
    schedule.kind = options["schedule"] == "linear" ? "linear" : "constant";
    schedule.warmupSteps = options["warmup"];
    const auto planned = options["steps"].get<std::int64_t>();
    for (std::size_t step = 0; step < run["step_rows"].size(); ++step) {
        std::vector<MicroBatch> batches;
        for (const auto& micro : run["step_rows"][step]) {
            std::vector<LaidOut> laidOut;
            for (const auto& index : micro)
                laidOut.push_back(rows(index));
            std::vector<const LaidOut*> pointers;
            for (const auto& row : laidOut)
                pointers.push_back(&row);
            batches.push_back(collate(pointers, goldenCollation(execution, type)));
        }
        const double rate =
            config.learningRate * scheduleFactor(schedule, static_cast<std::int64_t>(step), planned);
        const auto taken = trainer.step(batches, static_cast<std::int64_t>(step), rate, [] { return true; });
        curve.loss.push_back(taken.value().loss);
        curve.norm.push_back(taken.value().gradientNorm);
        curve.rate.push_back(rate);
    }
    return curve;
}

inline void compareCurve(const GoldenCurve& curve, const Json& right, const std::vector<Tolerance>& table)
{
    const auto relative = [](double x, double r) { return std::abs(x - r) / std::max(1e-12, std::abs(r)); };
    for (const auto& tolerance : table) {
        double loss = 0.0, norm = 0.0;
        for (int step = 0; step < tolerance.steps; ++step) {
            const auto i = static_cast<std::size_t>(step);
            loss = std::max(loss, relative(curve.loss[i], right["loss"][i]));
            norm = std::max(norm, relative(curve.norm[i], right["grad_norm"][i]));
            QVERIFY(std::abs(curve.rate[i] - right["lr"][i].get<double>()) < 1e-12);
        }
        qInfo("steps 1-%d: loss %.1e (allowed %.0e), gradient norm %.1e (allowed %.0e)", tolerance.steps,
              loss, tolerance.loss, norm, tolerance.norm);
        QVERIFY2(loss <= tolerance.loss, "loss");
        QVERIFY2(norm <= tolerance.norm, "gradient norm");
    }
}

/// Compares slices of the final weights; keys are names with an optional row, `model.norm.weight[3]`.
inline void compareWeights(const RewardModel& model, const Json& values, double tolerance)
{
    std::map<std::string, at::Tensor> tensors;
    for (const auto& parameter : model.parameters())
        tensors[parameter.name] = parameter.tensor.detach().to(at::kDouble);
    for (const auto& [key, expected] : values.items()) {
        const auto bracket = key.find('[');
        at::Tensor tensor = tensors.at(key.substr(0, bracket));
        if (bracket != std::string::npos)
            tensor = tensor[std::stoll(key.substr(bracket + 1))];
        tensor = tensor.reshape({-1});
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(std::abs(tensor[static_cast<std::int64_t>(i)].item<double>() -
                              expected[i].get<double>()) <= tolerance,
                     key.c_str());
    }
}

} // namespace assay::tests
