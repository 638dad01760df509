#include "core/model/heads/stored_head.h"

#include "core/model/heads/head_declaration.h"
#include "core/text/tokenizer.h"

#include <ATen/ops/stack.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay {

namespace {

/// The declaration that a folder is read by, if any.
Result<std::optional<HeadDeclaration>> declarationFor(const std::string& name, const ModelConfig& config,
                                                      const WeightLoader& loader)
{
    if (name == "none")
        return std::optional<HeadDeclaration>();
    if (name != "auto") {
        TRY(auto found, findHeadDeclaration(name));
        return std::optional(std::move(found));
    }
    for (const auto& declaration : headDeclarations()) {
        const auto& names = declaration.architectures;
        const bool named = std::find(names.begin(), names.end(), config.architecture) != names.end();
        const bool stored = !declaration.tokenChoice && loader.has(declaration.hidden + ".weight") &&
                            loader.has(declaration.output + ".weight");
        if (named || stored)
            return std::optional(declaration);
    }
    return std::optional<HeadDeclaration>();
}

/// The id that a text of the declaration stands for. Errors: BadModel unless it is exactly one token.
Result<TokenId> tokenOf(const Tokenizer& tokenizer, const std::string& text,
                        const HeadDeclaration& declaration)
{
    const auto ids = tokenizer.encode(text);
    if (ids.size() != 1)
        return Error{
            ErrorCode::BadModel,
            fmt::format("\"{}\" is {} tokens of this tokenizer, and the head {} compares single ones", text,
                        ids.size(), declaration.id),
            "head.declaration", "The declaration belongs to another model"};
    return ids.front();
}

/// Rows of the language head as a classifier with two outputs: its softmax is theirs.
Result<StoredHead> tokenChoice(WeightLoader& loader, const ModelConfig& config,
                               const std::filesystem::path& folder, const at::Tensor& languageHead,
                               const HeadDeclaration& declaration)
{
    if (!languageHead.defined())
        return Error{ErrorCode::BadModel,
                     fmt::format("the head {} compares rows of {}, and the folder has none without a bias",
                                 declaration.id, config.family->languageHead),
                     folder.string(), "Take the folder of the language model that was published"};
    if (config.decoder.finalSoftcap)
        return Error{ErrorCode::Unsupported, "rows of a language head with a soft cap are not supported",
                     folder.string(), "Take a model whose config.json has no final_logit_softcapping"};
    TRY(const auto tokenizer, openTokenizer(folder));
    TRY(const auto wrong, tokenOf(*tokenizer, declaration.wrongToken, declaration));
    TRY(const auto correct, tokenOf(*tokenizer, declaration.correctToken, declaration));
    if (std::max(wrong, correct) >= languageHead.size(0))
        return Error{ErrorCode::BadModel,
                     fmt::format("the tokenizer has the id {}, and the language head {} rows",
                                 std::max(wrong, correct), languageHead.size(0)),
                     folder.string(), "Tokenizer and weights belong to different models"};
    StoredHead head;
    head.weights.weight = at::stack({languageHead[wrong], languageHead[correct]}); // [2, width]
    loader.ledger().push_back(
        {"score.weight", "mapped",
         fmt::format("rows {} (wrong, \"{}\") and {} (correct, \"{}\") of {}", wrong, declaration.wrongToken,
                     correct, declaration.correctToken, config.family->languageHead)});
    return head;
}

/// Two layers under the names `hidden` and `output`, each with a bias.
Result<HeadWeights> twoLayers(WeightLoader& loader, std::int64_t width, const std::string& hidden,
                              const std::string& output)
{
    HeadWeights weights;
    const auto inner = loader.shape(hidden + ".weight");
    const auto rows = inner.empty() ? width : inner.front();
    const auto take = [&](const char* name, const std::vector<std::int64_t>& shape,
                          const std::string& stored) { return loader.take(name, shape, stored); };
    TRY(weights.hiddenWeight, take("score.0.weight", {rows, width}, hidden + ".weight"));
    TRY(weights.hiddenBias, take("score.0.bias", {rows}, hidden + ".bias"));
    TRY(weights.weight, take("score.2.weight", {2, rows}, output + ".weight"));
    TRY(weights.bias, take("score.2.bias", {2}, output + ".bias"));
    return weights;
}

Error missingTensors(const WeightLoader& loader, const std::string& what)
{
    return Error{ErrorCode::BadModel, fmt::format("the head is not in the file: {} missing", what),
                 loader.firstFile(),
                 "Train a new head on this backbone, or take the folder of the trained reward model"};
}

/// `score.weight` and `score.bias` when the folder is a classifier or has them.
Result<StoredHead> ordinaryHead(WeightLoader& loader, const ModelConfig& config, MissingHead missingHead)
{
    StoredHead head;
    const bool token = config.architecture.ends_with("ForTokenClassification");
    const bool sequence = config.architecture.ends_with("ForSequenceClassification");
    const std::string weight = config.family->head(!sequence) + ".weight";
    const std::string bias = config.family->head(!sequence) + ".bias";
    if (!token && !sequence && !loader.has(weight))
        return head;
    head.perToken = !sequence;
    const bool complete = loader.has(weight) && (loader.has(bias) || !token || loader.foreign());
    if (!complete) {
        if (missingHead == MissingHead::Refuse)
            return missingTensors(loader, token ? weight + " and " + bias : weight);
        loader.ledger().push_back({weight, "initialised", "the folder has no trained head"});
        return head;
    }
    const auto outputs = token || sequence ? config.labels : loader.shape(weight).at(0);
    TRY(head.weights.weight, loader.take(weight, {outputs, config.decoder.width}));
    if (loader.has(bias)) {
        TRY(head.weights.bias, loader.take(bias, {outputs}));
    }
    return head;
}

} // namespace

const HeadKind* StoredHead::kind() const
{
    return present() ? storedHeadKind(weights.weight.size(0), perToken, weights.hiddenWeight.defined())
                     : nullptr;
}

Result<HeadWeights> takeHead(WeightLoader& loader, const HeadKind& kind, std::int64_t width)
{
    if (kind.hiddenLayer)
        return twoLayers(loader, width, "score.0", "score.2");
    HeadWeights weights;
    TRY(weights.weight, loader.take("score.weight", {kind.outputs, width}));
    if (loader.has("score.bias")) {
        if (kind.bias) {
            TRY(weights.bias, loader.take("score.bias", {kind.outputs}));
        } else {
            loader.leave("score.bias", fmt::format("the head {} has no bias", kind.id));
        }
    }
    return weights;
}

Result<StoredHead> loadStoredHead(WeightLoader& loader, const ModelConfig& config,
                                  const std::filesystem::path& folder, const at::Tensor& languageHead,
                                  MissingHead missingHead, const std::string& name)
{
    TRY(const auto declaration, declarationFor(name, config, loader));
    if (!declaration)
        return ordinaryHead(loader, config, missingHead);
    StoredHead head;
    if (declaration->tokenChoice) {
        TRY(head, tokenChoice(loader, config, folder, languageHead, *declaration));
    } else {
        TRY(head.weights, twoLayers(loader, config.decoder.width, declaration->hidden, declaration->output));
    }
    head.declaration = declaration->id;
    head.layout = declaration->layout;
    return head;
}

} // namespace assay
