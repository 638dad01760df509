#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Whether a text is spelt as a model of the hub: `org/name`, perhaps with `@revision`.
bool isModelName(std::string_view text);

/// The path that a text names: one that exists, else the snapshot of that model in the local cache of
/// Hugging Face (`$HF_HUB_CACHE`, `$HF_HOME/hub`, `~/.cache/huggingface/hub`, in this order). Nothing is
/// downloaded, and a link of a snapshot may not leave its cache.
/// Errors: NotFound naming the places that were looked at; BadModel for a damaged or hostile cache.
Result<std::filesystem::path> findModel(const std::filesystem::path& text);

} // namespace assay
