#include "core/run/build_model.h"

#include "core/base/durable_file.h"
#include "core/base/embedded_file.h"
#include "core/base/hash.h"
#include "core/config/task.h"
#include "core/files/model_place.h"
#include "core/model/decoder.h"
#include "core/model/model_folder.h"
#include "core/model/weight_loader.h"

#include <fmt/format.h>

namespace assay {

namespace {

namespace fs = std::filesystem;

Result<TokenizerPtr> scratchTokenizer(const std::string& path)
{
    if (!path.empty())
        return openTokenizer(path);
    for (const auto& file : embeddedDemo())
        if (file.name.ends_with(".model"))
            return openSentencePiece(std::string(file.name), std::string(file.content));
    return Error{ErrorCode::NotFound, "no tokenizer is given and none is built in", "backbone.tokenizer"};
}

DecoderConfig scratchDecoder(const BackboneConfig& backbone, std::int64_t vocabulary)
{
    DecoderConfig config;
    config.vocabulary = vocabulary;
    config.width = backbone.width;
    config.layers = backbone.layers;
    config.heads = backbone.heads;
    config.keyValueHeads = backbone.keyValueHeads;
    config.headWidth = backbone.width / backbone.heads;
    config.mlpWidth = backbone.mlpWidth;
    config.normEpsilon = 1e-5;
    config.maximumPositions = 4096;
    config.tiedEmbeddings = true;
    config.rotary.theta = backbone.ropeTheta;
    config.initialDeviation = backbone.initialDeviation;
    return config;
}

/// A head read from files. One that lacks the bias its kind has gets a zero one: what it saves must open
/// again as the same kind.
std::unique_ptr<Head> headFrom(const HeadKind& kind, HeadWeights weights, Ledger& ledger)
{
    if (!kind.bias)
        weights.bias = at::Tensor();
    else if (!weights.bias.defined()) {
        weights.bias = weights.weight.new_zeros({kind.outputs});
        ledger.push_back({"score.bias", "initialised", "not in the file: zero"});
    }
    return makeHead(kind, std::move(weights));
}

/// Why the folder's head is not the experiment's; empty when it is.
std::string misfit(const HeadKind& kind, const StoredHead& stored, const std::string& storedKind)
{
    const auto& weights = stored.weights;
    if (!storedKind.empty() && storedKind != kind.id)
        return fmt::format("is of the head {}, the experiment has {}", storedKind, kind.id);
    if (weights.weight.size(0) != kind.outputs)
        return fmt::format("has {} outputs, the head {} has {}", weights.weight.size(0), kind.id,
                           kind.outputs);
    if (weights.hiddenWeight.defined() && !kind.hiddenLayer)
        return fmt::format(
            "stands behind a hidden layer, the head {} has none; head.kind step-two-layer keeps it", kind.id);
    if (!weights.hiddenWeight.defined() && kind.hiddenLayer)
        return fmt::format("has no hidden layer, the head {} has one", kind.id);
    return {};
}

/// The head of the experiment: from a file, from the folder, or new.
Result<std::unique_ptr<Head>> buildHead(const ExperimentConfig& config, const HeadKind& kind,
                                        const StoredHead& stored, const std::string& storedKind,
                                        std::int64_t width, const ComputeChoice& compute, Ledger& ledger)
{
    if (!config.head.initialWeights.empty()) {
        TRY(const auto file, WeightFolder::open(config.head.initialWeights));
        WeightLoader loader(file, compute.weights, compute.device);
        TRY(auto weights, takeHead(loader, kind, width));
        for (auto& entry : loader.ledger()) {
            entry.detail += " of " + fs::path(config.head.initialWeights).filename().string();
            ledger.push_back(std::move(entry));
        }
        return headFrom(kind, std::move(weights), ledger);
    }
    if (stored.present()) {
        const auto reason = config.head.fresh ? std::string("the experiment asks for a new head")
                                              : misfit(kind, stored, storedKind);
        if (reason.empty()) {
            if (stored.weights.bias.defined() && !kind.bias)
                ledger.push_back({"score.bias", "unused", fmt::format("the head {} has no bias", kind.id)});
            return headFrom(kind, stored.weights, ledger);
        }
        ledger.push_back(
            {stored.weights.hiddenWeight.defined() ? "score.2.weight" : "score.weight", "unused", reason});
    }
    RandomStream stream(config.seedFor(config.run.headSeed), "head");
    auto head = newHead(kind, width, stream, compute.weights, compute.device);
    for (const auto& parameter : head->parameters())
        ledger.push_back(
            {parameter.name, "initialised",
             parameter.tensor.dim() > 1 ? "new head, normal with standard deviation 0.02" : "zero"});
    return head;
}

/// Makes the embedding of a tag that the model has never seen.
void embedTag(ModelConfig& config, Backbone& backbone, const StepTag& tag, Ledger& ledger)
{
    backbone.addToken(tag.id);
    config = withVocabulary(std::move(config), backbone.vocabulary());
    ledger.push_back({fmt::format("{}[{}]", backbone.parameters().front().name, tag.id), "initialised",
                      fmt::format("1 row initialised to the mean of {}{}", tag.id,
                                  tag.reused ? ", in place of one that no token had" : "")});
}

} // namespace

Result<ModelPlan> planModel(const ExperimentConfig& config)
{
    ModelPlan plan;
    const auto& backbone = config.backbone;
    if (backbone.source == "scratch") {
        TRY(plan.tokenizer, scratchTokenizer(backbone.tokenizer));
        const Family& family = scratchFamily();
        plan.scratch = true;
        TRY(plan.tag, findStepTag(config, plan.tokenizer, {}, 0));
        plan.config.family = &family;
        plan.config.decoder = scratchDecoder(backbone, plan.tokenizer->vocabularySize());
        plan.config.json = writeModelConfig(family, plan.config.decoder);
        return plan;
    }
    TRY(const fs::path folder, findModel(backbone.folder));
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return Error{ErrorCode::NotFound, "is a file, and a model is a folder", folder.string(),
                     "Choose a folder with config.json"};
    TRY(auto text, readFile(folder / "config.json", 4 << 20));
    TRY(plan.config, readModelConfig(std::move(text), (folder / "config.json").string()));
    auto tokenizer = openTokenizer(folder);
    if (tokenizer)
        plan.tokenizer = std::move(tokenizer).value();
    else if (tokenizer.error().code != ErrorCode::NotFound)
        return tokenizer.error();
    TRY(plan.tag, findStepTag(config, plan.tokenizer, folder, plan.config.decoder.vocabulary));
    return plan;
}

Result<BuiltModel> buildModel(const ExperimentConfig& config, ModelPlan plan, const ComputeChoice& compute)
{
    BuiltModel built;
    const HeadKind* kind = headKind(headKindOf(config));
    if (!kind)
        return Error{ErrorCode::Usage, fmt::format("there is no head \"{}\"", config.head.kind), "head.kind"};
    std::unique_ptr<Backbone> backbone;
    StoredHead stored;
    if (plan.scratch) {
        RandomStream stream(config.seedFor(config.run.headSeed), "backbone");
        backbone =
            newDecoder(*plan.config.family, plan.config.decoder, stream, compute.weights, compute.device);
        built.weightsHash =
            sha256Hex(fmt::format("{}\n{}", config.seedFor(config.run.headSeed), plan.config.json));
        for (const auto& parameter : backbone->parameters())
            built.ledger.push_back({parameter.name, "initialised", "from scratch"});
    } else {
        const auto use =
            plan.use == ModelUse::Training && config.backbone.frozen ? ModelUse::FrozenTraining : plan.use;
        TRY(const auto place, findModel(config.backbone.folder));
        TRY_STATUS(checkModelFits(place, compute, use));
        TRY(auto folder, openModelFolder(place, compute.weights, MissingHead::Allow, compute.device,
                                         plan.knownWeightsHash, config.head.declaration));
        plan.config = std::move(folder.config);
        backbone = std::move(folder.backbone);
        stored = folder.head;
        built.ledger = std::move(folder.ledger);
        built.weightsHash = folder.weightsHash;
        if (plan.tag && plan.tag->added)
            embedTag(plan.config, *backbone, *plan.tag, built.ledger);
    }
    TRY(auto head,
        buildHead(config, *kind, stored, plan.storedHeadKind, backbone->width(), compute, built.ledger));
    const bool newTag = plan.tag && plan.tag->trained;
    built.model = std::make_unique<RewardModel>(std::move(plan.config), std::move(backbone), std::move(head),
                                                config.backbone.frozen,
                                                newTag ? std::optional(plan.tag->id) : std::nullopt);
    return built;
}

} // namespace assay
