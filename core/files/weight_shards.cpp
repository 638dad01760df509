#include "core/files/weight_shards.h"

#include "core/base/durable_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay {

std::vector<std::vector<TensorSource>> shardsOf(const std::vector<TensorSource>& tensors,
                                                std::uint64_t shardBytes)
{
    std::vector<std::vector<TensorSource>> shards;
    std::uint64_t filled = 0;
    for (const auto& tensor : tensors) {
        const bool fits = shardBytes == 0 || filled + tensor.bytes.size() <= shardBytes;
        if (shards.empty() || !fits) {
            shards.emplace_back();
            filled = 0;
        }
        shards.back().push_back(tensor);
        filled += tensor.bytes.size();
    }
    return shards;
}

Status writeWeightFolder(const std::filesystem::path& folder, const std::vector<TensorSource>& tensors,
                         std::uint64_t shardBytes, const std::map<std::string, std::string>& metadata)
{
    const auto shards = shardsOf(tensors, shardBytes);
    if (shards.size() <= 1)
        return writeSafetensors(folder / "model.safetensors", tensors, metadata);
    nlohmann::ordered_json map = nlohmann::ordered_json::object();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const auto name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
        TRY_STATUS(writeSafetensors(folder / name, shards[i], metadata));
        for (const auto& tensor : shards[i]) {
            map[tensor.name] = name;
            total += tensor.bytes.size();
        }
    }
    const nlohmann::ordered_json index{{"metadata", {{"total_size", total}}}, {"weight_map", map}};
    return writeAndSync(folder / "model.safetensors.index.json", index.dump(2) + "\n");
}

} // namespace assay
