#pragma once

#include "core/base/result.h"
#include "core/run/compute.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace assay {

/// What the weights of a model take before any of them is read.
struct ModelMemory
{
    std::int64_t weightBytes = 0;   ///< all tensors of the folder in the type they are kept in
    std::int64_t trainingBytes = 0; ///< with gradients and two moments of every weight
};

enum class ModelUse { Scoring, FrozenTraining, Training };

/// From the headers of the weight files alone. Errors: as WeightFolder::open.
Result<ModelMemory> modelMemory(const std::filesystem::path& folder, at::ScalarType type);

/// Whether that use fits in `availableBytes` (0 = not known: it does); activations come on top and are not
/// counted. Errors: OutOfMemory with the estimate and the uses that would fit.
Status checkMemory(const ModelMemory& memory, ModelUse use, std::int64_t availableBytes,
                   const std::string& where);
/// Both for a folder and the memory that the device has now; a folder that cannot be read passes.
Status checkModelFits(const std::filesystem::path& folder, const ComputeChoice& compute, ModelUse use);

/// "1.5 GiB"
std::string gibibytes(std::int64_t bytes);

} // namespace assay
