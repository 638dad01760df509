#pragma once

#include "core/files/weight_folder.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::tests {

/// Name -> type, shape and bytes of everything in a folder's weight files.
inline std::map<std::string, std::string> contentOf(const std::filesystem::path& folder)
{
    std::map<std::string, std::string> content;
    const auto weights = WeightFolder::open(folder);
    if (!weights)
        return content;
    for (const auto& tensor : weights->tensors()) {
        std::vector<std::byte> bytes(tensor.bytes());
        if (!weights->read(tensor.name, bytes).ok())
            return {};
        content[tensor.name] = std::string(dtypeName(tensor.dtype)) + shapeText(tensor.shape) +
                               std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return content;
}

} // namespace assay::tests
