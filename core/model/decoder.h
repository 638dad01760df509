#pragma once

#include "core/base/random.h"
#include "core/model/backbone.h"
#include "core/model/families.h"
#include "core/model/weight_loader.h"

#include <memory>

namespace assay {

/// Loads a decoder's tensors under the family's names. `prefix` is the family's, or empty for backbone-only
/// files.
Result<std::unique_ptr<Backbone>> loadDecoder(const Family& family, const DecoderConfig& config,
                                              WeightLoader& loader, bool withPrefix);

/// New weights: normal with `config.initialDeviation` (output projections scaled by 1 / sqrt(2 layers)),
/// norms 1, drawn from our own stream so that a seed gives the same weights on every machine.
std::unique_ptr<Backbone> newDecoder(const Family& family, const DecoderConfig& config, RandomStream& stream,
                                     at::ScalarType type, at::Device device = at::kCPU);

} // namespace assay
