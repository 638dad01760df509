#pragma once

#include "core/base/result.h"
#include "core/files/weight_folder.h"
#include "core/model/model_config.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

namespace assay {

/// How a tensor of ours is stored by another program.
struct ForeignTensor
{
    std::string name;
    std::int64_t interleavedHeads = 0; ///< rows of every head are in pairs, ours in halves; 0 = rows as ours
};
/// Our tensor name -> theirs; the way back is the same table.
using ForeignNames = std::map<std::string, ForeignTensor>;

/// Whether the weights have torchtune's names.
bool hasTorchtuneNames(const WeightFolder& weights);

/// torchtune's names for a Llama-like decoder; its `output` is the score head, or the language head where
/// there is none. Errors: Unsupported naming what torchtune's decoder does not have.
Result<ForeignNames> torchtuneNames(const ModelConfig& config, bool perToken, bool languageHead);

/// Rows of every head from halves [2, width / 2] to neighbouring pairs [width / 2, 2], as torchtune rotates
/// them, and back; bits stay as they are. `rows` [heads * width, ...].
at::Tensor interleaved(const at::Tensor& rows, std::int64_t heads);
at::Tensor halved(const at::Tensor& rows, std::int64_t heads);

} // namespace assay
