#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace assay {

/// A file read from its start, piece by piece; gzip is unpacked on the way. Its first bytes decide, not its
/// name.
class InputFile
{
public:
    /// Expanded bytes a compressed file may have: more than any data set that fits in memory as rows.
    static constexpr std::uintmax_t kMaximumBytes = std::uintmax_t{1} << 34;

    /// Errors: NotFound, Io.
    static Result<InputFile> open(const std::filesystem::path& path,
                                  std::uintmax_t maximumBytes = kMaximumBytes);

    /// Fills `buffer` as far as the file goes; fewer bytes than asked for only at the end.
    /// Errors: BadData for a damaged or cut gzip file, or more than the maximum; Io.
    Result<std::size_t> read(std::span<char> buffer);
    /// The rest of the file. Errors: as `read`, and BadData for more than `maximumBytes`.
    Result<std::string> readRest(std::uintmax_t maximumBytes);
    /// Back to the first byte. Errors: Io.
    Status rewind();

private:
    struct Closer
    {
        void operator()(void* file) const;
    };

    InputFile(void* file, std::string name, std::uintmax_t maximumBytes);
    Error fault() const;

    std::unique_ptr<void, Closer> m_file; ///< zlib's handle, which reads plain files too
    std::string m_name;
    std::uintmax_t m_maximumBytes;
    std::uintmax_t m_readBytes = 0;
};

} // namespace assay
