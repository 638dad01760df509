#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <utility>

namespace assay {

/// A lock on a folder between processes, let go when it is destroyed or its process ends: who reads the files
/// shares it, who deletes them must have it alone.
class FolderLock
{
public:
    /// Waits while somebody deletes. Errors: NotFound (the folder is not or no longer there), Io.
    static Result<FolderLock> share(const std::filesystem::path& folder);
    /// Never waits; none while somebody reads, or when the folder is not there.
    static std::optional<FolderLock> tryAlone(const std::filesystem::path& folder);

    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
    {}
    FolderLock& operator=(FolderLock&& other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }

private:
    explicit FolderLock(int descriptor)
        : m_descriptor(descriptor)
    {}

    int m_descriptor = -1;
};

} // namespace assay
