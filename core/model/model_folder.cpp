#include "core/model/model_folder.h"

#include "core/base/durable_file.h"
#include "core/model/decoder.h"
#include "core/model/weight_loader.h"

#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::uintmax_t kLargestConfig = 4 << 20;

bool endsWith(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Error missingTensors(const WeightFolder& weights, const std::string& what)
{
    const auto file = weights.files().empty() ? std::string("model.safetensors")
                                              : weights.files().front().path().filename().string();
    return Error{ErrorCode::BadModel, fmt::format("the head is not in the file: {} missing", what), file,
                 "Train a new head on this backbone, or take the folder of the trained reward model"};
}

/// Reads `score.weight` and `score.bias` when the folder is a classifier or has them.
Status loadHead(ModelFolder& model, WeightLoader& loader, const WeightFolder& weights,
                MissingHead missingHead)
{
    const Family& family = *model.config.family;
    const bool token = endsWith(model.config.architecture, "ForTokenClassification");
    const bool sequence = endsWith(model.config.architecture, "ForSequenceClassification");
    const std::string weight = family.head(!sequence) + ".weight";
    const std::string bias = family.head(!sequence) + ".bias";
    if (!token && !sequence && !loader.has(weight))
        return {};
    model.head.perToken = !sequence;
    const bool complete = loader.has(weight) && (loader.has(bias) || !token || loader.foreign());
    if (!complete) {
        if (missingHead == MissingHead::Refuse)
            return missingTensors(weights, token ? weight + " and " + bias : weight);
        model.ledger.push_back({weight, "initialised", "the folder has no trained head"});
        return {};
    }
    const auto outputs = token || sequence ? model.config.labels : weights.find(weight)->shape.at(0);
    TRY(model.head.weight, loader.take(weight, {outputs, model.config.decoder.width}));
    if (loader.has(bias)) {
        TRY(model.head.bias, loader.take(bias, {outputs}));
    }
    return {};
}

} // namespace

Result<ModelFolder> openModelFolder(const std::filesystem::path& folder, at::ScalarType type,
                                    MissingHead missingHead, at::Device device, const std::string& knownHash)
{
    std::error_code unknown; // not allowed to look there, for example
    if (!std::filesystem::exists(folder, unknown))
        return Error{ErrorCode::NotFound, unknown ? unknown.message() : "there is no such folder",
                     folder.string(), "Check the path of the model folder"};
    if (!std::filesystem::is_directory(folder, unknown))
        return Error{ErrorCode::Usage, "is a file, and a model is a folder", folder.string(),
                     "Give the folder that holds config.json"};
    const auto configPath = folder / "config.json";
    auto text = readFile(configPath, kLargestConfig);
    if (!text) {
        auto error = text.error();
        error.remedy = "A model folder needs a config.json";
        return error;
    }
    ModelFolder model;
    model.folder = folder;
    TRY(model.config, readModelConfig(std::move(text).value(), configPath.string()));
    const Family& family = *model.config.family;
    TRY(const auto weights, WeightFolder::open(folder));
    model.weightBytes = weights.totalBytes();

    WeightLoader loader(weights, type, device);
    if (hasTorchtuneNames(weights)) {
        const bool language = !endsWith(model.config.architecture, "Classification");
        const bool perToken = !endsWith(model.config.architecture, "ForSequenceClassification");
        TRY(auto names, torchtuneNames(model.config, perToken, language));
        loader.useForeignNames(std::move(names));
    }
    const std::string embedding = family.tensorName("embedding");
    const bool withPrefix = loader.has(embedding) || !loader.has(embedding.substr(family.prefix.size()));
    TRY(model.backbone, loadDecoder(family, model.config.decoder, loader, withPrefix));
    TRY_STATUS(loadHead(model, loader, weights, missingHead));
    if (loader.has(family.languageHead)) {
        TRY(model.languageHead,
            loader.take(family.languageHead, {model.config.decoder.vocabulary, model.config.decoder.width}));
    } else if (model.config.decoder.tiedEmbeddings || endsWith(model.config.architecture, "ForCausalLM") ||
               endsWith(model.config.architecture, "LMHeadModel")) {
        model.languageHead = model.backbone->parameters().front().tensor;
        loader.ledger().push_back({family.languageHead, "mapped", "tied to " + embedding});
    }
    for (const auto& ignored : family.ignored)
        for (std::int64_t layer = 0; layer < model.config.decoder.layers; ++layer) {
            std::string name = (withPrefix ? family.prefix : std::string()) + ignored;
            if (const auto place = name.find("{layer}"); place != std::string::npos)
                name.replace(place, 7, std::to_string(layer));
            loader.leave(name, "computed from config.json");
        }
    TRY_STATUS(loader.finish());
    auto ledger = std::move(loader.ledger());
    ledger.insert(ledger.end(), model.ledger.begin(), model.ledger.end());
    model.ledger = std::move(ledger);
    model.weightsHash = knownHash;
    if (knownHash.empty()) {
        TRY(model.weightsHash, weights.contentSha256());
    }
    return model;
}

} // namespace assay
