#include "core/base/durable_file.h"
#include "core/files/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay {

namespace {

constexpr std::size_t kAlignment = 8; ///< bytes: the data section starts at a multiple of it

std::string headerOf(const std::vector<TensorSource>& tensors,
                     const std::map<std::string, std::string>& metadata)
{
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t position = 0;
    for (const auto& tensor : tensors) {
        CHECK(tensorBytes(tensor.dtype, tensor.shape) == tensor.bytes.size(), tensor.name);
        CHECK(!header.contains(tensor.name), tensor.name);
        header[tensor.name] = {{"dtype", dtypeName(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"data_offsets", {position, position + tensor.bytes.size()}}};
        position += tensor.bytes.size();
    }
    auto text = header.dump();
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    return text;
}

} // namespace

Status writeSafetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                        const std::map<std::string, std::string>& metadata)
{
    std::sort(tensors.begin(), tensors.end(), [](const TensorSource& a, const TensorSource& b) {
        return std::tuple(-dtypeBits(a.dtype), a.name) < std::tuple(-dtypeBits(b.dtype), b.name);
    });
    const auto header = headerOf(tensors, metadata);
    std::string prefix;
    for (std::size_t i = 0; i < 8; ++i)
        prefix += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    std::vector<std::string_view> parts{prefix, header};
    for (const auto& tensor : tensors)
        parts.emplace_back(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    return writeDurably(path, parts);
}

} // namespace assay
