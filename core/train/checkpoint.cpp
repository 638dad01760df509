#include "core/train/checkpoint.h"

#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/files/weight_folder.h"
#include "core/model/reward_model.h"
#include "core/train/checkpoint_files.h"
#include "core/train/optimiser.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <set>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kFormatVersion = 1;
constexpr const char* kTemporaryPrefix = ".tmp-";
constexpr const char* kNamePrefix = "step-";
constexpr const char* kWeightsFile = "model.safetensors";

Json watchedJson(const WatchedEvaluations& watched)
{
    const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(nullptr); };
    Json all = Json::array();
    for (const auto& seen : watched.all)
        all.push_back({{"step", seen.step},
                       {"regular", seen.regular},
                       {"stop", number(seen.stop)},
                       {"best", number(seen.best)}});
    return {{"stop_metric", watched.stopMetric},
            {"stop_title", watched.stopTitle},
            {"best_metric", watched.bestMetric},
            {"evaluations", all}};
}

WatchedEvaluations watchedFromJson(const Json& json)
{
    WatchedEvaluations watched;
    if (!json.is_object())
        return watched;
    watched.stopMetric = json.value("stop_metric", "");
    watched.stopTitle = json.value("stop_title", "");
    watched.bestMetric = json.value("best_metric", "");
    const auto number = [](const Json& seen, const char* key) {
        const auto value = seen.find(key);
        return value != seen.end() && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
    };
    for (const auto& seen : json.value("evaluations", Json::array()))
        if (seen.is_object())
            watched.all.push_back({seen.value("step", std::int64_t{0}), number(seen, "stop"),
                                   number(seen, "best"), seen.value("regular", true)});
    return watched;
}

Json positionJson(const TrainingPosition& position)
{
    return {{"step", position.step},
            {"planned_steps", position.plannedSteps},
            {"run", position.runId},
            {"dtype", position.dtype},
            {"threads", position.threads},
            {"device", position.device},
            {"config", position.configJson},
            {"watched", watchedJson(position.watched)},
            {"new_token", position.newToken ? Json(*position.newToken) : Json(nullptr)}};
}

Status writeOptimiser(const fs::path& path, const AdamW& optimiser)
{
    std::vector<at::Tensor> alive;
    std::vector<TensorSource> sources;
    for (const auto& [name, tensor] : optimiser.state()) {
        alive.push_back(tensor.detach().cpu().contiguous());
        const at::Tensor& copy = alive.back();
        sources.push_back({name, fileType(copy.scalar_type()), copy.sizes().vec(), tensorBytesOf(copy)});
    }
    return writeSafetensors(path, std::move(sources));
}

Status writeFiles(const fs::path& folder, const CheckpointContent& content)
{
    {
        const auto saved = content.model->saved();
        TRY_STATUS(writeSafetensors(folder / kWeightsFile, saved.sources, {{"format", "pt"}}));
        TRY_STATUS(writeAndSync(folder / "config.json", saved.configJson));
    }
    if (content.optimiser)
        TRY_STATUS(writeOptimiser(folder / "optimiser.safetensors", *content.optimiser));
    TRY_STATUS(writeTokenizer(folder, content.tokenizer));
    TRY_STATUS(writeLayout(folder, content.layout));
    return writePosition(folder, content.position);
}

Error damaged(const fs::path& file, const std::string& what)
{
    return Error{ErrorCode::BadModel, what, file.string(), "Use another checkpoint; this one is damaged"};
}

Result<Json> readJson(const fs::path& path)
{
    TRY(const auto text, readFile(path, 64 << 20));
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return damaged(path, "is not a JSON object");
    return json;
}

Result<at::Tensor> readTensor(const WeightFolder& file, const std::string& name, const at::Tensor& like)
{
    const TensorInfo* info = file.find(name);
    if (!info || info->shape != like.sizes().vec() || info->dtype != fileType(like.scalar_type()))
        return Error{ErrorCode::BadModel, fmt::format("the checkpoint has no fitting tensor {}", name),
                     info ? file.fileOf(name).string() : "model.safetensors"};
    at::Tensor tensor = at::empty(like.sizes(), at::TensorOptions().dtype(like.scalar_type()));
    TRY_STATUS(file.read(
        name, {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(info->bytes())}));
    return tensor;
}

} // namespace

Status writeTokenizer(const fs::path& folder, const Tokenizer* tokenizer)
{
    if (!tokenizer)
        return {};
    const auto [name, bytes] = tokenizer->file();
    TRY_STATUS(writeAndSync(folder / name, bytes));
    for (const auto& [companion, beside] : tokenizer->companionFiles())
        TRY_STATUS(writeAndSync(folder / companion, beside));
    return {};
}

Status writeLayout(const fs::path& folder, const LayoutOptions& layout)
{
    return writeAndSync(folder / "layout.json", layoutToJson(layout));
}

Status writePosition(const fs::path& folder, const TrainingPosition& position)
{
    return writeAndSync(folder / "training.json", positionJson(position).dump(2) + "\n");
}

Result<SavedCheckpoint> writeManifest(const fs::path& folder, const TrainingPosition& position)
{
    SavedCheckpoint saved;
    Json files = Json::object();
    TRY(const auto names, namesIn(folder));
    for (const auto& name : names) {
        TRY(const auto hash, sha256File(folder / name));
        std::error_code error;
        const auto bytes = static_cast<std::int64_t>(fs::file_size(folder / name, error));
        if (error)
            return Error{ErrorCode::Io, "its size cannot be told: " + error.message(),
                         (folder / name).string()};
        files[name] = {{"bytes", bytes}, {"sha256", hash}};
        saved.bytes += bytes;
    }
    const Json manifest = {
        {"format", kFormatVersion}, {"run", position.runId}, {"step", position.step}, {"files", files}};
    const std::string text = manifest.dump(2) + "\n";
    TRY_STATUS(writeAndSync(folder / "manifest.json", text));
    saved.bytes += static_cast<std::int64_t>(text.size());
    saved.manifestHash = sha256Hex(text);
    return saved;
}

void sweepBeside(const fs::path& target)
{
    const std::string prefix = kTemporaryPrefix, end = "-" + target.filename().string();
    const auto names = namesIn(target.parent_path());
    if (!names)
        return;
    for (const auto& name : *names) {
        if (!name.starts_with(prefix) || !name.ends_with(end) || name.size() <= prefix.size() + end.size())
            continue;
        pid_t process = 0;
        const char* const last = name.data() + name.size() - end.size();
        const auto [rest, fault] = std::from_chars(name.data() + prefix.size(), last, process);
        if (fault != std::errc() || rest != last || process <= 0)
            continue;
        // A number that another process has now keeps the folder: too much is better than another's work.
        if (::kill(process, 0) == 0 || errno != ESRCH)
            continue;
        std::error_code ignored;
        const fs::path left = target.parent_path() / name;
        if (fs::is_directory(fs::symlink_status(left, ignored)))
            fs::remove_all(left, ignored);
    }
}

Result<SavedCheckpoint>
writeBeside(const fs::path& target,
            const std::function<Result<SavedCheckpoint>(const fs::path& temporary)>& write)
{
    TRY_STATUS(createDirectories(target.parent_path()));
    const fs::path temporary = target.parent_path() / fmt::format("{}{}-{}", kTemporaryPrefix, ::getpid(),
                                                                  target.filename().string());
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    TRY_STATUS(createDirectories(temporary));
    auto saved = write(temporary);
    if (saved)
        if (auto renamed = renameDurably(temporary, target); !renamed.ok())
            saved = renamed.error();
    if (!saved)
        fs::remove_all(temporary, ignored);
    return saved;
}

Result<SavedCheckpoint> saveCheckpoint(const fs::path& target, const CheckpointContent& content)
{
    return writeBeside(target, [&](const fs::path& temporary) -> Result<SavedCheckpoint> {
        TRY_STATUS(writeFiles(temporary, content));
        TRY(auto saved, writeManifest(temporary, content.position));
        TRY_STATUS(syncDirectory(temporary));
        // A step that is saved again after a resume replaces the older copy; its content is the same by
        // promise R3.
        std::error_code ignored;
        fs::remove_all(target, ignored);
        return saved;
    });
}

Result<VerifiedCheckpoint> verifyCheckpoint(const fs::path& folder)
{
    VerifiedCheckpoint verified{folder, {}};
    TRY(const auto manifest, readJson(folder / "manifest.json"));
    if (manifest.value("format", 0) > kFormatVersion)
        return Error{ErrorCode::Unsupported, "was written by a newer version of Assay",
                     (folder / "manifest.json").string(), "Open it with that version"};
    if (!manifest.contains("files") || !manifest["files"].is_object())
        return damaged(folder / "manifest.json", "names no files");
    for (const auto& [name, entry] : manifest["files"].items()) {
        if (name.find('/') != std::string::npos || name == "..")
            return damaged(folder / "manifest.json", "names a file outside the folder");
        if (!entry.is_object() || !entry.contains("bytes") || !entry["bytes"].is_number_unsigned() ||
            !entry.contains("sha256") || !entry["sha256"].is_string())
            return damaged(folder / "manifest.json", "lacks size or SHA-256 of " + name);
        // The size first: a file that was cut short is told apart without reading it.
        std::error_code unreadable;
        const auto size = fs::file_size(folder / name, unreadable);
        if (const auto listed = entry["bytes"].get<std::uintmax_t>(); !unreadable && size != listed)
            return damaged(folder / name, fmt::format("has {} bytes, the manifest says {}", size, listed));
        TRY(const auto hash, sha256File(folder / name));
        if (entry["sha256"] != hash)
            return damaged(folder / name, "does not match its SHA-256 in the manifest");
        if (name == kWeightsFile)
            verified.weightsHash = hash;
    }
    return verified;
}

Result<TrainingPosition> readTrainingPosition(const fs::path& folder)
{
    TRY(const auto json, readJson(folder / "training.json"));
    TrainingPosition position;
    position.step = json.value("step", std::int64_t{0});
    position.plannedSteps = json.value("planned_steps", std::int64_t{0});
    position.runId = json.value("run", "");
    position.dtype = json.value("dtype", "");
    position.threads = json.value("threads", std::int64_t{0});
    position.device = json.value("device", "");
    position.configJson = json.value("config", "");
    position.watched = watchedFromJson(json.value("watched", Json()));
    if (const auto id = json.find("new_token"); id != json.end() && id->is_number_integer())
        position.newToken = id->get<std::int64_t>();
    return position;
}

Result<TrainingPosition> loadCheckpoint(const VerifiedCheckpoint& checkpoint, RewardModel* model,
                                        AdamW* optimiser)
{
    const fs::path& folder = checkpoint.folder;
    const at::NoGradGuard noGradients;
    if (model) {
        TRY(const auto weights, WeightFolder::open(folder));
        for (const auto& parameter : model->parameters()) {
            TRY(const auto tensor, readTensor(weights, model->storedName(parameter.name), parameter.tensor));
            parameter.tensor.copy_(tensor);
        }
    }
    if (optimiser) {
        TRY(const auto file, WeightFolder::open(folder / "optimiser.safetensors"));
        auto state = optimiser->state();
        for (auto& [name, like] : state) {
            TRY(auto tensor, readTensor(file, name, like));
            like = std::move(tensor);
        }
        TRY_STATUS(optimiser->setState(state));
    }
    return readTrainingPosition(folder);
}

fs::path freeCheckpointFolder(const fs::path& parent, std::int64_t step)
{
    const std::string name = kNamePrefix + std::to_string(step);
    fs::path folder = parent / name;
    std::error_code unknown;
    for (int copy = 2; fs::exists(folder, unknown); ++copy)
        folder = parent / fmt::format("{}-{}", name, copy);
    return folder;
}

void removeCheckpointFiles(const fs::path& folder)
{
    const fs::path doomed = folder.parent_path() / fmt::format("{}{}-deleted-{}", kTemporaryPrefix,
                                                               ::getpid(), folder.filename().string());
    std::error_code failed, ignored;
    fs::rename(folder, doomed, failed);
    fs::remove_all(failed ? folder : doomed, ignored);
}

void sweepCheckpoints(const fs::path& parent, const std::set<std::string>& listed)
{
    const auto names = namesIn(parent);
    if (!names.ok())
        return; // there is none yet, or it cannot be read now: the next attempt sweeps
    std::error_code ignored;
    for (const auto& name : *names)
        if (name.starts_with(kTemporaryPrefix) || (name.starts_with(kNamePrefix) && !listed.contains(name)))
            fs::remove_all(parent / name, ignored);
}

} // namespace assay
