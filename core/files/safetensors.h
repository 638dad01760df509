#pragma once

#include "core/base/result.h"
#include "core/files/tensor_info.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What the JSON part of a safetensors file says.
struct SafetensorsHeader
{
    std::vector<TensorInfo> tensors; ///< in the order of their data
    std::map<std::string, std::string> metadata;
};

/// Parses the JSON of a header strictly: begins with `{`, UTF-8, nothing but blanks after it, no duplicate or
/// unknown keys, whole-number sizes, ranges sorted, contiguous from 0 and ending at `dataBytes`. Errors:
/// BadModel (`where` names the tensor).
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes);

/// A safetensors file that stays open; tensors are read one at a time by position, never mapped (a file that
/// shrinks must give an error, not a signal). Safe to read from several threads.
class SafetensorsFile
{
public:
    /// Errors: NotFound, Io, BadModel naming file and reason. A symbolic link is followed (the Hugging Face
    /// cache is made of them); anything but a regular file is refused.
    static Result<SafetensorsFile> open(const std::filesystem::path& path);

    std::span<const TensorInfo> tensors() const { return m_header.tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_header.metadata; }
    const std::filesystem::path& path() const { return m_path; }
    /// Null when there is none of that name.
    const TensorInfo* find(std::string_view name) const;
    /// Reads the bytes of one tensor of this file; `out` has exactly `tensor.bytes()` bytes. Errors: Io.
    Status read(const TensorInfo& tensor, std::span<std::byte> out) const;

private:
    struct Descriptor;
    std::filesystem::path m_path;
    std::shared_ptr<const Descriptor> m_file;
    std::uint64_t m_dataStart = 0; ///< bytes
    SafetensorsHeader m_header;
    std::map<std::string, std::size_t, std::less<>> m_index;
};

/// One tensor to be written.
struct TensorSource
{
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes; ///< little endian, row-major, contiguous
};

/// Writes a safetensors file durably (old or new content after a power cut). Data are ordered by element
/// size, then by name, so that every tensor is aligned and equal content gives equal bytes. Errors: Io; a
/// size that does not fit the shape or a name given twice is a bug of the caller.
Status writeSafetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                        const std::map<std::string, std::string>& metadata = {});

} // namespace assay
