#include "core/run/checkpoint_choice.h"

#include "core/config/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

namespace fs = std::filesystem;

/// The lock comes first: a checkpoint that is being deleted must not be half read.
Result<ChosenCheckpoint> openCheckpoint(const fs::path& folder, CheckpointRecord record)
{
    auto lock = FolderLock::share(folder);
    if (!lock) {
        auto error = lock.error();
        error.remedy = "It may have been deleted by checkpoint.keep_last meanwhile: take another checkpoint";
        return error;
    }
    TRY(auto files, verifyCheckpoint(folder));
    TRY(auto position, readTrainingPosition(folder));
    return ChosenCheckpoint{std::move(record), std::move(files), std::move(position),
                            std::move(lock).value()};
}

struct CheckpointName
{
    std::string run;
    std::optional<std::int64_t> step;
};

/// "run:40" -> (run, 40); a colon that no number follows is part of the run's name.
CheckpointName parseName(const std::string& text)
{
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size())
        return {text, {}};
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), step);
    if (error != std::errc() || end != text.data() + text.size())
        return {text, {}};
    return {text.substr(0, colon), step};
}

} // namespace

Result<ChosenCheckpoint> chooseCheckpoint(const RunReader& reader, const RunId& run,
                                          std::optional<std::int64_t> step)
{
    TRY(auto checkpoints, reader.checkpoints(run));
    if (step)
        std::erase_if(checkpoints, [step](const auto& c) { return c.step != *step; });
    if (checkpoints.empty())
        return Error{ErrorCode::NotFound,
                     step ? fmt::format("the run has no checkpoint of step {}", *step)
                          : "the run has no checkpoint yet",
                     run, "See the list in `assay show " + run + "`"};
    const auto newest =
        std::max_element(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) {
            return std::pair(a.step, a.id) < std::pair(b.step, b.id);
        });
    return openCheckpoint(reader.place().artefacts() / newest->path, *newest);
}

Result<ChosenCheckpoint> chooseCheckpoint(const fs::path& folder)
{
    TRY(auto chosen, openCheckpoint(folder, {}));
    chosen.record.step = chosen.position.step;
    chosen.record.path = folder.string();
    return chosen;
}

NewestComplete newestComplete(const RunReader& reader, std::vector<CheckpointRecord> checkpoints)
{
    NewestComplete newest;
    std::sort(checkpoints.begin(), checkpoints.end(),
              [](const auto& a, const auto& b) { return std::pair(a.step, a.id) > std::pair(b.step, b.id); });
    for (const auto& checkpoint : checkpoints) {
        auto chosen = openCheckpoint(reader.place().artefacts() / checkpoint.path, checkpoint);
        if (chosen.ok()) {
            newest.checkpoint = std::move(chosen).value();
            break;
        }
        newest.damaged.push_back({checkpoint, chosen.error()});
    }
    return newest;
}

ExperimentConfig buildingFrom(ExperimentConfig config, const ChosenCheckpoint& checkpoint)
{
    config.backbone.source = "folder";
    config.backbone.folder = checkpoint.files.folder.string();
    config.head.declaration = "auto"; // its head was written by us, wherever it began
    return config;
}

Result<ChosenCheckpoint> namedCheckpoint(const StorePlace& place, const std::string& text)
{
    std::error_code ignored;
    if (fs::exists(fs::path(text) / "manifest.json", ignored))
        return chooseCheckpoint(fs::path(text));
    TRY(const auto reader, RunReader::open(place));
    // A name may hold a colon: the whole text comes first.
    if (const auto run = reader->findRun(text); run.ok())
        return chooseCheckpoint(*reader, *run, std::nullopt);
    const auto [name, step] = parseName(text);
    auto run = reader->findRun(name);
    if (!run) {
        auto error = run.error();
        error.where = "backbone.checkpoint: " + text;
        error.remedy = "Name a run (id, name or last), run:step, or the folder of a checkpoint";
        return error;
    }
    return chooseCheckpoint(*reader, *run, step);
}

Result<ModelOrigin> modelOrigin(const StorePlace& place, const ExperimentConfig& config)
{
    ModelOrigin origin{config, config, {}};
    if (config.backbone.source != "checkpoint")
        return origin;
    TRY(auto checkpoint, namedCheckpoint(place, config.backbone.checkpoint));
    if (checkpoint.record.id != 0)
        origin.recorded.backbone.checkpoint =
            fmt::format("{}:{}", checkpoint.position.runId, checkpoint.record.step);
    origin.building = buildingFrom(config, checkpoint);
    origin.checkpoint = std::move(checkpoint);
    return origin;
}

std::string describe(const ChosenCheckpoint& checkpoint)
{
    return fmt::format("the checkpoint of step {} of run {}", checkpoint.position.step,
                       checkpoint.position.runId.empty() ? "unknown" : checkpoint.position.runId);
}

ExperimentConfig recordedConfig(const ChosenCheckpoint& checkpoint)
{
    auto config = configFromJson(checkpoint.position.configJson);
    return config.ok() ? std::move(config).value() : ExperimentConfig{};
}

} // namespace assay
