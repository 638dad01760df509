#include "core/run/exports/export_source.h"

#include "core/config/json.h"
#include "core/config/task.h"
#include "core/model/model_folder.h"
#include "core/run/scoring/open_checkpoint.h"

#include <fmt/format.h>

namespace assay {

namespace {

namespace fs = std::filesystem;

/// The experiment without the paths of the machine where it ran: they would mean nothing elsewhere.
std::string portableConfig(ExperimentConfig config)
{
    config.data.train.clear();
    config.data.evaluation.clear();
    const BackboneConfig plain;
    config.backbone.source = "folder";
    config.backbone.folder = plain.folder;
    config.backbone.checkpoint = plain.checkpoint;
    config.backbone.tokenizer = plain.tokenizer;
    config.head.takeFromFolder();
    return configToJson(config);
}

Error hiddenLayer(const fs::path& folder)
{
    return Error{ErrorCode::Unsupported, "transformers has no class for a head with a hidden layer",
                 folder.string(), "Score with the checkpoint itself, or train a head of one layer"};
}

Result<ExportSource> fromCheckpoint(ChosenCheckpoint chosen)
{
    TRY(auto opened, openCheckpoint(chosen, {{"compute.device", "cpu"}, {"compute.dtype", "float32"}}));
    if (headKind(opened.model->head().kind())->hiddenLayer)
        return hiddenLayer(chosen.files.folder);
    ExportSource source;
    source.description = describe(chosen);
    source.folder = chosen.files.folder;
    source.position = chosen.position;
    source.position->configJson = portableConfig(recordedConfig(chosen));
    source.scale = opened.scale;
    if (taskOfLayout(opened.layout->options().name) == Task::Steps && !source.scale.threshold)
        source.scale.threshold = opened.config.evaluation.threshold;
    source.perToken = headKind(opened.model->head().kind())->perToken;
    source.model = std::move(opened.model);
    source.tokenizer = std::move(opened.tokenizer);
    source.layout = std::move(opened.layout);
    source.lock = std::move(chosen.lock);
    return source;
}

Result<ExportSource> fromModelFolder(const fs::path& folder)
{
    TRY(auto opened, openModelFolder(folder, at::kFloat, MissingHead::Refuse));
    if (!opened.head.present())
        return Error{ErrorCode::BadModel, "the folder holds no reward head", folder.string(),
                     "Train one on it, and export the run"};
    if (opened.head.weights.hiddenWeight.defined())
        return hiddenLayer(folder);
    ExportSource source;
    source.description = "the model folder " + folder.filename().string();
    source.folder = folder;
    auto tokenizer = openTokenizer(folder);
    if (tokenizer)
        source.tokenizer = std::move(tokenizer).value();
    else if (tokenizer.error().code != ErrorCode::NotFound)
        return tokenizer.error();
    source.perToken = opened.head.perToken;
    const HeadKind kind{"stored", "As the folder has it", opened.head.weights.weight.size(0),
                        opened.head.weights.bias.defined(), opened.head.perToken};
    source.model = std::make_unique<RewardModel>(std::move(opened.config), std::move(opened.backbone),
                                                 makeHead(kind, std::move(opened.head.weights)), true);
    return source;
}

} // namespace

Result<ExportSource> openExportSource(const StorePlace& place, const std::string& text,
                                      std::optional<std::int64_t> step)
{
    std::error_code ignored;
    if (fs::exists(fs::path(text) / "config.json", ignored)) {
        if (step)
            return Error{ErrorCode::Usage, "a folder holds one checkpoint, so there is no step to choose",
                         text, "Leave --checkpoint out, or name the run"};
        const fs::path folder = fs::absolute(text).lexically_normal();
        return reopenExport(folder, fs::exists(folder / "training.json", ignored));
    }
    if (text.find('/') != std::string::npos && !fs::is_directory(text, ignored))
        return Error{ErrorCode::NotFound, "there is no such folder", text,
                     "Name a run (id, name or last), run:step, or a folder with config.json"};
    auto chosen = namedCheckpoint(place, step ? fmt::format("{}:{}", text, *step) : text);
    if (!chosen && chosen.error().where.starts_with("backbone.checkpoint")) {
        auto error = chosen.error();
        error.where = text;
        return error;
    }
    if (!chosen)
        return chosen.error();
    return fromCheckpoint(std::move(chosen).value());
}

Result<ExportSource> reopenExport(const fs::path& folder, bool checkpoint)
{
    if (!checkpoint)
        return fromModelFolder(folder);
    TRY(auto chosen, chooseCheckpoint(folder));
    return fromCheckpoint(std::move(chosen));
}

} // namespace assay
