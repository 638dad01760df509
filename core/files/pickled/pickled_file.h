#pragma once

#include "core/files/pickled/zip_index.h"
#include "core/files/random_access_file.h"
#include "core/files/weight_file.h"

#include <vector>

namespace assay {

/// A file of torch.save (1.6 and newer): a zip container with a pickled dictionary of tensors and their
/// storages. The pickle is read as data by `readPickle`; nothing in it runs. Tensors may be views: they may
/// share a storage, start anywhere in it and be transposed.
class PickledFile : public WeightFile
{
public:
    /// Errors: as RandomAccessFile; Unsupported (the container before 1.6, big-endian); BadModel naming file,
    /// record or tensor.
    static Result<PickledFile> open(const std::filesystem::path& path);

    std::span<const TensorInfo> tensors() const override { return m_tensors; }
    const std::filesystem::path& path() const override { return m_file.path(); }
    Status read(const TensorInfo& tensor, std::span<std::byte> out) const override;

private:
    /// Where the elements of a tensor lie.
    struct View
    {
        FileRange storage;
        std::uint64_t offset = 0;          ///< elements
        std::vector<std::int64_t> strides; ///< elements
    };
    class Reader;

    RandomAccessFile m_file;
    std::vector<TensorInfo> m_tensors; ///< by name; `begin` is the place in `m_views`' own order of bytes
    std::vector<View> m_views;         ///< [tensors]
};

} // namespace assay
