#pragma once

#include "core/files/safetensors.h"

#include <cstdint>

namespace assay {

/// Which tensors go into which file, in their order: files of at most `shardBytes`, a larger tensor alone.
/// One file for all when they fit, or when `shardBytes` is 0.
std::vector<std::vector<TensorSource>> shardsOf(const std::vector<TensorSource>& tensors,
                                                std::uint64_t shardBytes);

/// Writes the weights of a Hugging Face model folder: `model.safetensors`, or `model-00001-of-0000N` with
/// `model.safetensors.index.json`. Errors: Io.
Status writeWeightFolder(const std::filesystem::path& folder, const std::vector<TensorSource>& tensors,
                         std::uint64_t shardBytes, const std::map<std::string, std::string>& metadata = {});

} // namespace assay
