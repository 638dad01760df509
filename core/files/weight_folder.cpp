#include "core/files/weight_folder.h"

#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/files/pickled/pickled_file.h"
#include "core/files/safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace assay {

namespace {

namespace fs = std::filesystem;

/// How a container's files are called in a model folder.
struct Names
{
    const char *single, *index;
};
constexpr Names kSafetensors{"model.safetensors", "model.safetensors.index.json"};
constexpr Names kPickled{"pytorch_model.bin", "pytorch_model.bin.index.json"};
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
    return {ErrorCode::NotFound,
            fmt::format("no weight file; looked for {}, {}, {} and {}", kSafetensors.single,
                        kSafetensors.index, kPickled.single, kPickled.index),
            folder.string(), ""};
}

/// By what the name says it is.
Result<std::shared_ptr<const WeightFile>> openWeightFile(const fs::path& path)
{
    if (path.extension() == ".bin") {
        TRY(auto file, PickledFile::open(path));
        return std::shared_ptr<const WeightFile>(std::make_shared<PickledFile>(std::move(file)));
    }
    TRY(auto file, SafetensorsFile::open(path));
    return std::shared_ptr<const WeightFile>(std::make_shared<SafetensorsFile>(std::move(file)));
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
    const auto openOne = [](const fs::path& path) -> Result<WeightFolder> {
        WeightFolder weights;
        TRY(auto file, openWeightFile(path));
        TRY_STATUS(weights.add(std::move(file)));
        return weights;
    };
    if (fs::is_regular_file(folder, ignored))
        return openOne(folder);
    for (const auto& names : {kSafetensors, kPickled}) {
        if (fs::exists(folder / names.single, ignored))
            return openOne(folder / names.single);
        if (fs::exists(folder / names.index, ignored))
            return openShards(folder, folder / names.index);
    }
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
        auto file = openWeightFile(folder / shard);
        if (!file && file.error().code == ErrorCode::NotFound)
            return indexError("the shard " + shard + " does not exist", index);
        if (!file)
            return file.error();
        TRY_STATUS(weights.add(std::move(file).value()));
    }
    for (const auto& [name, shard] : map) {
        const auto found = weights.m_places.find(name);
        if (found == weights.m_places.end() ||
            weights.m_files[found->second.file]->path().filename() != shard)
            return indexError("tensor " + name + " is not in " + shard + ", where the index says it is",
                              index);
    }
    for (const auto& [name, place] : weights.m_places) {
        if (!map.contains(name))
            return indexError("tensor " + name + " of " +
                                  weights.m_files[place.file]->path().filename().string() +
                                  " is not named by the index",
                              index);
    }
    return weights;
}

Status WeightFolder::add(std::shared_ptr<const WeightFile> file)
{
    for (const auto& tensor : file->tensors()) {
        if (!m_places.emplace(tensor.name, Place{m_files.size(), tensor}).second)
            return Error{ErrorCode::BadModel, "a tensor is in two files",
                         file->path().string() + ", tensor " + tensor.name, ""};
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
    return m_files[found->second.file]->read(found->second.info, out);
}

fs::path WeightFolder::fileOf(std::string_view name) const
{
    const auto found = m_places.find(name);
    return found == m_places.end() ? fs::path() : m_files[found->second.file]->path();
}

Result<std::string> WeightFolder::contentSha256() const
{
    if (m_files.size() == 1)
        return sha256File(m_files.front()->path());
    Sha256 hash;
    for (const auto& file : m_files) {
        TRY(const auto content, sha256File(file->path()));
        hash.addField(file->path().filename().string());
        hash.addField(content);
    }
    return hash.hex();
}

} // namespace assay
