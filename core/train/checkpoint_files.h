// The files that checkpoints and exports have in common.
#pragma once

#include "core/train/checkpoint.h"

#include <functional>

namespace assay {

/// The tokenizer's files as they were; null writes none.
Status writeTokenizer(const std::filesystem::path& folder, const Tokenizer* tokenizer);
Status writeLayout(const std::filesystem::path& folder, const LayoutOptions& layout);
Status writePosition(const std::filesystem::path& folder, const TrainingPosition& position);
/// `manifest.json` over everything that is in the folder now.
Result<SavedCheckpoint> writeManifest(const std::filesystem::path& folder, const TrainingPosition& position);
/// Removes what a write to the same `target` left behind whose process is gone.
void sweepBeside(const std::filesystem::path& target);
/// Writes under a temporary name beside `target` and renames at the end; what fails leaves nothing behind.
Result<SavedCheckpoint>
writeBeside(const std::filesystem::path& target,
            const std::function<Result<SavedCheckpoint>(const std::filesystem::path& temporary)>& write);

} // namespace assay
