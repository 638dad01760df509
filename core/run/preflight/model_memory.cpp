#include "core/run/preflight/model_memory.h"

#include "core/files/weight_folder.h"
#include "core/run/preflight/memory_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay {

namespace {

constexpr std::int64_t kWeightsGradientsMoments = 4;

std::int64_t bytesFor(const ModelMemory& memory, ModelUse use)
{
    return use == ModelUse::Training ? memory.trainingBytes : memory.weightBytes;
}

} // namespace

Result<ModelMemory> modelMemory(const std::filesystem::path& folder, at::ScalarType type)
{
    TRY(const auto weights, WeightFolder::open(folder));
    constexpr double kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
    double values = 0.0;
    for (const auto& tensor : weights.tensors()) {
        double count = 1.0;
        for (const auto size : tensor.shape)
            count *= static_cast<double>(size);
        values += count;
    }
    const double bytes = values * static_cast<double>(c10::elementSize(type));
    return ModelMemory{static_cast<std::int64_t>(std::min(bytes, kMost)),
                       static_cast<std::int64_t>(std::min(kWeightsGradientsMoments * bytes, kMost))};
}

Status checkMemory(const ModelMemory& memory, ModelUse use, std::int64_t availableBytes,
                   const std::string& where)
{
    const auto needed = bytesFor(memory, use);
    if (availableBytes <= 0 || needed <= availableBytes)
        return {};
    std::string remedy =
        use == ModelUse::Training && memory.weightBytes <= availableBytes
            ? fmt::format("Train the head only (--backbone.frozen true) or only score with it: "
                          "that needs {} and activations",
                          gibibytes(memory.weightBytes))
            : fmt::format("Neither a frozen backbone nor scoring alone would fit ({}): choose a "
                          "smaller model, or a machine with more memory",
                          gibibytes(memory.weightBytes));
    return Error{ErrorCode::OutOfMemory,
                 fmt::format("the model does not fit: its weights{} need {}, and {} are free",
                             use == ModelUse::Training ? ", gradients and moments" : "", gibibytes(needed),
                             gibibytes(availableBytes)),
                 where, std::move(remedy)};
}

Status checkModelFits(const std::filesystem::path& folder, const ComputeChoice& compute, ModelUse use)
{
    const auto memory = modelMemory(folder, compute.weights);
    if (!memory)
        return {}; // opening the model says better what is wrong with it
    return checkMemory(*memory, use, deviceMemory(compute.device).available, folder.string());
}

std::string gibibytes(std::int64_t bytes)
{
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1LL << 30));
}

} // namespace assay
