#pragma once

#include "core/base/result.h"
#include "core/files/tensor_info.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace assay {

/// A file of tensors, whatever its container. Safe to read from several threads.
class WeightFile
{
public:
    virtual ~WeightFile() = default;
    virtual std::span<const TensorInfo> tensors() const = 0;
    virtual const std::filesystem::path& path() const = 0;
    /// The elements of one tensor of this file, row by row; `out` has exactly `tensor.bytes()` bytes.
    /// Errors: Io, BadModel.
    virtual Status read(const TensorInfo& tensor, std::span<std::byte> out) const = 0;
};

} // namespace assay
