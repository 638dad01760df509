#include "core/train/export_folder.h"

#include "core/base/durable_file.h"
#include "core/files/weight_shards.h"
#include "core/train/checkpoint_files.h"

namespace assay {

namespace {

Status writeFiles(const std::filesystem::path& folder, const ExportContent& content)
{
    {
        const auto saved = savedModel(*content.model, content.form);
        TRY_STATUS(writeWeightFolder(folder, saved.sources, content.shardBytes, {{"format", "pt"}}));
        TRY_STATUS(writeAndSync(folder / "config.json", saved.configJson));
    }
    TRY_STATUS(writeTokenizer(folder, content.tokenizer));
    if (content.layout)
        TRY_STATUS(writeLayout(folder, *content.layout));
    if (content.position)
        TRY_STATUS(writePosition(folder, *content.position));
    return writeAndSync(folder / "export.json", content.recordJson);
}

} // namespace

Result<SavedCheckpoint> saveExport(const std::filesystem::path& target, const ExportContent& content)
{
    sweepBeside(target);
    return writeBeside(target, [&](const std::filesystem::path& temporary) -> Result<SavedCheckpoint> {
        TRY_STATUS(writeFiles(temporary, content));
        TRY(auto saved, writeManifest(temporary, content.position.value_or(TrainingPosition{})));
        TRY_STATUS(syncDirectory(temporary));
        TRY_STATUS(content.check(temporary));
        return saved;
    });
}

} // namespace assay
