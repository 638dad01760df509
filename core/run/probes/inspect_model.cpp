#include "core/run/probes/inspect_model.h"

#include "core/files/model_place.h"
#include "core/model/heads/head_declaration.h"
#include "core/model/model_folder.h"
#include "core/run/exports/export_record.h"
#include "core/run/guarded.h"
#include "core/run/preflight/memory_meter.h"
#include "core/run/preflight/model_memory.h"
#include "core/text/tokenizer.h"

namespace assay {

namespace {

TokenizerFacts tokenizerFacts(const std::filesystem::path& folder)
{
    TokenizerFacts facts;
    const auto tokenizer = openTokenizer(folder);
    if (!tokenizer) {
        facts.problem = tokenizer.error().text();
        return facts;
    }
    facts.file = (*tokenizer)->file().first;
    facts.vocabulary = (*tokenizer)->vocabularySize();
    facts.chatTemplate = (*tokenizer)->chatTemplate() != nullptr;
    const auto& special = (*tokenizer)->special();
    for (const auto& [name, id] : {std::pair("bos", special.bos), std::pair("eos", special.eos),
                                   std::pair("pad", special.pad), std::pair("unk", special.unk)})
        if (id)
            facts.special.emplace_back(name, (*tokenizer)->piece(*id));
    return facts;
}

std::optional<HeadFacts> headFacts(const StoredHead& head)
{
    if (!head.present())
        return std::nullopt;
    HeadFacts facts;
    facts.perToken = head.perToken;
    facts.outputs = head.weights.weight.size(0);
    facts.bias = head.weights.bias.defined();
    if (head.weights.hiddenWeight.defined())
        facts.hidden = head.weights.hiddenWeight.size(0);
    facts.declaration = head.declaration;
    return facts;
}

} // namespace

ModelReport reportOf(const ModelFolder& model)
{
    const auto& decoder = model.config.decoder;
    ModelReport report;
    report.folder = model.folder.string();
    report.family = model.config.family->id;
    report.familyTitle = model.config.family->title;
    report.architecture = model.config.architecture;
    report.vocabulary = decoder.vocabulary;
    report.width = decoder.width;
    report.layers = decoder.layers;
    report.heads = decoder.heads;
    report.keyValueHeads = decoder.keyValueHeads;
    report.headWidth = decoder.headWidth;
    report.mlpWidth = decoder.mlpWidth;
    report.positions = decoder.maximumPositions;
    report.ropeType = decoder.traits.learnedPositions ? "learned" : decoder.rotary.type;
    report.ropeTheta = decoder.rotary.theta;
    for (const auto& parameter : model.backbone->parameters())
        report.parameters += parameter.tensor.numel();
    report.weightBytes = static_cast<std::int64_t>(model.weightBytes);
    report.dtype = model.config.dtype;
    report.weightsHash = model.weightsHash;
    report.head = headFacts(model.head);
    report.languageHead = model.languageHead.defined();
    report.ledger = model.ledger;
    return report;
}

Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch& watch)
{
    return guarded<ModelReport>([&]() -> Result<ModelReport> {
        TRY(const auto folder, findModel(request.place));
        const auto available = deviceMemory(at::kCPU).available;
        TRY_STATUS(checkModelFits(folder, {}, ModelUse::Scoring));
        const auto goOn = [&watch](double share) {
            if (watch.progress)
                watch.progress(share);
            return !watch.stop.stop_requested();
        };
        TRY(const auto model,
            openModelFolder(folder, at::kFloat, MissingHead::Allow, at::kCPU, {}, request.head, goOn));
        auto report = reportOf(model);
        TRY(const auto record, readExportRecord(folder));
        report.rewards = record.scale.text();
        for (const auto& declaration : headDeclarations())
            report.publishedHeads.emplace_back(declaration.id, declaration.title);
        report.tokenizer = tokenizerFacts(folder);
        if (const auto memory = modelMemory(folder, at::kFloat))
            report.memory = {memory->weightBytes, memory->trainingBytes, available};
        return report;
    });
}

} // namespace assay
