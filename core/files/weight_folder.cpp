#include "core/files/weight_folder.h"

#include "core/base/durable_file.h"
#include "core/base/hash.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::uintmax_t kMaximumIndexBytes = 100'000'000;

/// A shard is a plain file name inside the folder of the index.
bool plainFileName(std::string_view name)
{
    const bool control =
        std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return !name.empty() && name.size() <= 255 && name.front() != '.' && !control &&
           name.find('/') == std::string_view::npos && name.find('\\') == std::string_view::npos;
}

Error indexError(std::string message, const fs::path& index)
{
    return {ErrorCode::BadModel, std::move(message), index.string(), ""};
}

Error noWeights(const fs::path& folder)
{
    for (const auto* pickled : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        std::error_code unknown;
        if (fs::exists(folder / pickled, unknown))
            return {ErrorCode::Unsupported,
                    std::string("the weights are in ") + pickled +
                        ", a pickle, which can run code when it is opened; only safetensors is read",
                    (folder / pickled).string(), "Convert the checkpoint to safetensors"};
    }
    return {ErrorCode::NotFound, std::string("no weight file; looked for ") + kSingle + " and " + kIndex,
            folder.string(), ""};
}

/// Tensor -> shard, as the index says.
Result<std::map<std::string, std::string>> readWeightMap(const fs::path& index)
{
    TRY(const auto text, readFile(index, kMaximumIndexBytes));
    // The callback cuts the tree at depth 3, before a hostile file can nest deeper.
    bool deep = false;
    const auto json = nlohmann::json::parse(
        text,
        [&deep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
            deep = deep || depth > 3;
            return depth <= 3;
        },
        false);
    if (json.is_discarded() || deep || !json.is_object() || !json.contains("weight_map") ||
        !json["weight_map"].is_object())
        return indexError("not a weight index: no object `weight_map`", index);
    std::map<std::string, std::string> map;
    for (const auto& [name, shard] : json["weight_map"].items()) {
        if (!shard.is_string())
            return indexError("the shard of " + name + " is not a text", index);
        const auto& file = shard.get_ref<const std::string&>();
        if (!plainFileName(file))
            return indexError("the shard " + file + " is not a file name inside the folder of the index",
                              index);
        map.emplace(name, file);
    }
    if (map.empty())
        return indexError("`weight_map` is empty", index);
    return map;
}

} // namespace

Result<WeightFolder> WeightFolder::open(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder, ignored))
        return Error{ErrorCode::NotFound, "no such model folder", folder.string(), ""};
    const bool isFile = fs::is_regular_file(folder, ignored);
    if (isFile || fs::exists(folder / kSingle, ignored)) {
        WeightFolder weights;
        TRY(auto file, SafetensorsFile::open(isFile ? folder : folder / kSingle));
        TRY_STATUS(weights.add(std::move(file)));
        return weights;
    }
    if (fs::exists(folder / kIndex, ignored))
        return openShards(folder, folder / kIndex);
    return noWeights(folder);
}

Result<WeightFolder> WeightFolder::openShards(const fs::path& folder, const fs::path& index)
{
    TRY(const auto map, readWeightMap(index));
    std::set<std::string> shards;
    for (const auto& entry : map)
        shards.insert(entry.second);
    WeightFolder weights;
    for (const auto& shard : shards) {
        auto file = SafetensorsFile::open(folder / shard);
        if (!file && file.error().code == ErrorCode::NotFound)
            return indexError("the shard " + shard + " does not exist", index);
        if (!file)
            return file.error();
        TRY_STATUS(weights.add(std::move(file).value()));
    }
    for (const auto& [name, shard] : map) {
        const auto found = weights.m_places.find(name);
        if (found == weights.m_places.end() || weights.m_files[found->second.file].path().filename() != shard)
            return indexError("tensor " + name + " is not in " + shard + ", where the index says it is",
                              index);
    }
    for (const auto& [name, place] : weights.m_places) {
        if (!map.contains(name))
            return indexError("tensor " + name + " of " +
                                  weights.m_files[place.file].path().filename().string() +
                                  " is not named by the index",
                              index);
    }
    return weights;
}

Status WeightFolder::add(SafetensorsFile file)
{
    for (const auto& tensor : file.tensors()) {
        if (!m_places.emplace(tensor.name, Place{m_files.size(), tensor}).second)
            return Error{ErrorCode::BadModel, "a tensor is in two files",
                         file.path().string() + ", tensor " + tensor.name, ""};
        m_totalBytes += tensor.bytes();
    }
    m_files.push_back(std::move(file));
    return {};
}

std::vector<TensorInfo> WeightFolder::tensors() const
{
    std::vector<TensorInfo> all;
    all.reserve(m_places.size());
    for (const auto& entry : m_places)
        all.push_back(entry.second.info);
    return all;
}

const TensorInfo* WeightFolder::find(std::string_view name) const
{
    const auto found = m_places.find(name);
    return found == m_places.end() ? nullptr : &found->second.info;
}

Status WeightFolder::read(std::string_view name, std::span<std::byte> out) const
{
    const auto found = m_places.find(name);
    if (found == m_places.end())
        return Error{ErrorCode::BadModel, "no tensor of this name", std::string(name), ""};
    return m_files[found->second.file].read(found->second.info, out);
}

fs::path WeightFolder::fileOf(std::string_view name) const
{
    const auto found = m_places.find(name);
    return found == m_places.end() ? fs::path() : m_files[found->second.file].path();
}

Result<std::string> WeightFolder::contentSha256() const
{
    if (m_files.size() == 1)
        return sha256File(m_files.front().path());
    Sha256 hash;
    for (const auto& file : m_files) {
        TRY(const auto content, sha256File(file.path()));
        hash.addField(file.path().filename().string());
        hash.addField(content);
    }
    return hash.hex();
}

} // namespace assay
