#include "core/run/scoring/open_checkpoint.h"

#include "core/base/durable_file.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/run/build_model.h"
#include "core/run/exports/export_record.h"

#include <fmt/format.h>

namespace assay {

namespace {

/// A head whose bias was dropped on purpose has a zero one; everything else must come from the files.
Status nothingRandom(const Ledger& ledger, const ExportRecord& record, const std::filesystem::path& folder)
{
    for (const auto& entry : ledger)
        if (entry.action == "initialised" && !(entry.tensor == "score.bias" && record.biasDropped()))
            return Error{ErrorCode::BadModel, fmt::format("{} is missing", entry.tensor), folder.string(),
                         "A random tensor must not look like a trained one; take another checkpoint"};
    return {};
}

} // namespace

Result<OpenedCheckpoint> openCheckpoint(const ChosenCheckpoint& chosen, const ScorerSettings& settings)
{
    const auto& folder = chosen.files.folder;
    OpenedCheckpoint opened;
    TRY(auto config, configFromJson(chosen.position.configJson));
    opened.config = buildingFrom(std::move(config), chosen);
    opened.config.head.takeFromFolder();
    std::optional<std::string> dtype = chosen.position.dtype;
    for (const auto& [id, text] : settings) {
        if (!id.starts_with("compute."))
            return Error{ErrorCode::Usage, "a checkpoint has its own layout and head", id,
                         "Leave the setting out"};
        TRY_STATUS(setField(opened.config, id, text));
        if (id == "compute.dtype")
            dtype.reset();
    }
    TRY(const auto record, readExportRecord(folder));
    TRY(auto plan, planModel(opened.config));
    plan.use = ModelUse::Scoring;
    opened.tokenizer = plan.tokenizer;
    TRY(opened.compute, chooseCompute(opened.config.compute, plan.config.decoder, dtype));
    TRY(const auto json, readFile(folder / "layout.json", 1 << 20));
    TRY(const auto options, layoutFromJson(json));
    TRY(opened.layout, makeLayout(options, opened.tokenizer));
    TRY_STATUS(checkSeparators(record, options, opened.tokenizer.get(), folder));
    TRY(auto built, buildModel(opened.config, std::move(plan), opened.compute));
    TRY_STATUS(nothingRandom(built.ledger, record, folder));
    opened.model = std::move(built.model);
    opened.scale = record.scale;
    return opened;
}

} // namespace assay
