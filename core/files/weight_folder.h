#pragma once

#include "core/files/weight_file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The weights of a Hugging Face model folder: `model.safetensors`, or the shards that
/// `model.safetensors.index.json` names; without them `pytorch_model.bin` or the shards of its index, which
/// are pickles (see PickledFile). Nothing is executed.
class WeightFolder
{
public:
    /// Also takes the path of a single file. Errors: NotFound (no weights: names what was
    /// looked for), as opening the files, BadModel (missing shard or tensor, a shard name that
    /// leaves the folder, a tensor that the index does not name).
    static Result<WeightFolder> open(const std::filesystem::path& folder);

    /// All tensors by name; `begin` and `end` count within the tensor's own file.
    std::vector<TensorInfo> tensors() const;
    /// Null when there is none of that name.
    const TensorInfo* find(std::string_view name) const;
    /// `out` has exactly the tensor's bytes. Errors: BadModel for an unknown name, Io.
    Status read(std::string_view name, std::span<std::byte> out) const;
    /// The file that holds the tensor, for messages; empty for an unknown name.
    std::filesystem::path fileOf(std::string_view name) const;
    const std::vector<std::shared_ptr<const WeightFile>>& files() const { return m_files; }
    std::uint64_t totalBytes() const { return m_totalBytes; }
    /// SHA-256 of the file, or over (name, SHA-256) of all shards by name; reads everything. Errors: Io.
    Result<std::string> contentSha256() const;

private:
    struct Place
    {
        std::size_t file = 0;
        TensorInfo info;
    };
    static Result<WeightFolder> openShards(const std::filesystem::path& folder,
                                           const std::filesystem::path& index);
    Status add(std::shared_ptr<const WeightFile> file);

    std::vector<std::shared_ptr<const WeightFile>> m_files;
    std::map<std::string, Place, std::less<>> m_places;
    std::uint64_t m_totalBytes = 0;
};

} // namespace assay
