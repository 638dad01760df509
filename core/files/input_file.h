#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace assay {

/// How the bytes of a file are packed.
enum class Packing { None, Gzip, Zstd };

/// A file read from its start, piece by piece; gzip and zstd are unpacked on the way. Its first bytes decide,
/// not its name.
class InputFile
{
public:
    /// Expanded bytes a compressed file may have.
    static constexpr std::uintmax_t kMaximumBytes = std::uintmax_t{1} << 40;

    /// Errors: NotFound, Io.
    static Result<InputFile> open(const std::filesystem::path& path,
                                  std::uintmax_t maximumBytes = kMaximumBytes);

    /// Fills `buffer` as far as the file goes; fewer bytes than asked for only at the end.
    /// Errors: BadData for a damaged or cut packed file, or more than the maximum; Io.
    Result<std::size_t> read(std::span<char> buffer);
    /// The rest of the file. Errors: as `read`, and BadData for more than `maximumBytes`.
    Result<std::string> readRest(std::uintmax_t maximumBytes);
    /// Back to the first byte. Errors: Io.
    Status rewind();

    Packing packing() const;
    /// How much of the file on disk has been read, in [0, 1].
    double share() const;

    /// Unpacks one kind of file; `input_file.cpp` has one for each.
    class Stream
    {
    public:
        virtual ~Stream() = default;
        /// Up to `buffer.size()` bytes, 0 at the end. Errors: BadData, Io, without a place.
        virtual Result<std::size_t> read(std::span<char> buffer) = 0;
        virtual bool rewind() = 0;
        virtual Packing packing() const = 0;
        /// Bytes of the file on disk that were read.
        virtual std::int64_t taken() const = 0;
    };

private:
    InputFile(std::unique_ptr<Stream> stream, std::string name, std::uintmax_t fileBytes,
              std::uintmax_t maximumBytes);

    std::unique_ptr<Stream> m_stream;
    std::string m_name;
    std::uintmax_t m_fileBytes;
    std::uintmax_t m_maximumBytes;
    std::uintmax_t m_readBytes = 0;
};

/// "gzip", "zstd"; empty for a file that is not packed.
std::string packingName(Packing packing);

} // namespace assay
