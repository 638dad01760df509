#pragma once

#include "core/base/result.h"
#include "core/files/random_access_file.h"
#include "core/files/weight_file.h"

#include <cstddef>
#include <filesystem>
#include <map>
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

/// A safetensors file that stays open; tensors are read one at a time by position.
class SafetensorsFile : public WeightFile
{
public:
    /// Errors: as RandomAccessFile; BadModel naming file and reason.
    static Result<SafetensorsFile> open(const std::filesystem::path& path);

    std::span<const TensorInfo> tensors() const override { return m_header.tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_header.metadata; }
    const std::filesystem::path& path() const override { return m_file.path(); }
    /// Null when there is none of that name.
    const TensorInfo* find(std::string_view name) const;
    Status read(const TensorInfo& tensor, std::span<std::byte> out) const override;

private:
    RandomAccessFile m_file;
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
