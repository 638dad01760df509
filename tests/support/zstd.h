#pragma once

#include <zstd.h>

#include <cstdlib>
#include <string>

namespace assay::tests {

/// Bytes as one frame of Zstandard.
inline std::string zstandard(const std::string& bytes)
{
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3);
    if (ZSTD_isError(size))
        std::abort();
    packed.resize(size);
    return packed;
}

} // namespace assay::tests
