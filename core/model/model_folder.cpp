#include "core/model/model_folder.h"

#include "core/base/durable_file.h"
#include "core/files/model_place.h"
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

} // namespace

Result<ModelFolder> openModelFolder(const std::filesystem::path& place, at::ScalarType type,
                                    MissingHead missingHead, at::Device device, const std::string& knownHash,
                                    const std::string& headDeclaration, const LoadGoOn& goOn)
{
    TRY(const auto folder, findModel(place));
    std::error_code unknown; // not allowed to look there, for example
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
    loader.watch(goOn);
    if (hasTorchtuneNames(weights)) {
        const bool language = !endsWith(model.config.architecture, "Classification");
        const bool perToken = !endsWith(model.config.architecture, "ForSequenceClassification");
        TRY(auto names, torchtuneNames(model.config, perToken, language));
        loader.useForeignNames(std::move(names));
    }
    const std::string embedding = family.tensorName("embedding");
    const bool withPrefix = loader.has(embedding) || !loader.has(embedding.substr(family.prefix.size()));
    TRY(model.backbone, loadDecoder(family, model.config.decoder, loader, withPrefix));
    if (loader.has(family.languageHead)) {
        TRY(model.languageHead,
            loader.take(family.languageHead, {model.config.decoder.vocabulary, model.config.decoder.width}));
    } else if (model.config.decoder.tiedEmbeddings || endsWith(model.config.architecture, "ForCausalLM") ||
               endsWith(model.config.architecture, "LMHeadModel")) {
        model.languageHead = model.backbone->parameters().front().tensor;
        loader.ledger().push_back({family.languageHead, "mapped", "tied to " + embedding});
    }
    const auto languageBias = family.languageHead.substr(0, family.languageHead.rfind('.')) + ".bias";
    if (loader.has(languageBias)) {
        loader.leave(languageBias, "a language head with a bias has no part in a reward model");
        model.languageHead = at::Tensor(); // without its bias it would give other logits
    }
    TRY(model.head,
        loadStoredHead(loader, model.config, folder, model.languageHead, missingHead, headDeclaration));
    for (const auto& ignored : family.ignored)
        for (std::int64_t layer = 0; layer < model.config.decoder.layers; ++layer) {
            std::string name = (withPrefix ? family.prefix : std::string()) + ignored;
            if (const auto mark = name.find("{layer}"); mark != std::string::npos)
                name.replace(mark, 7, std::to_string(layer));
            loader.leave(name, "computed from config.json");
        }
    TRY_STATUS(loader.finish());
    model.ledger = std::move(loader.ledger());
    model.weightsHash = knownHash;
    if (knownHash.empty()) {
        TRY(model.weightsHash, weights.contentSha256());
    }
    return model;
}

} // namespace assay
