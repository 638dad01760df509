#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace assay {

/// A file without a name that is gone with the last copy of this, whatever becomes of the process. Written by
/// one thread, then read by position from any; copies share it.
class ScratchFile
{
public:
    /// Where scratch files lie: $XDG_CACHE_HOME/assay, else ~/.cache/assay, else the folder for temporary
    /// files.
    static std::filesystem::path defaultFolder();

    /// Errors: Io naming the folder.
    static Result<ScratchFile> create(const std::filesystem::path& folder = defaultFolder());

    std::uint64_t size() const;
    /// Errors: Io (a full disk says how much was to be written).
    Status append(std::span<const std::byte> bytes);
    /// Fills `out`. Errors: Io.
    Status read(std::uint64_t position, std::span<std::byte> out) const;

private:
    struct File;
    std::shared_ptr<File> m_file;
};

} // namespace assay
