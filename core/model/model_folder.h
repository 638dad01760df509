#pragma once

#include "core/base/result.h"
#include "core/model/backbone.h"
#include "core/model/heads/stored_head.h"
#include "core/model/ledger.h"
#include "core/model/model_config.h"

#include <filesystem>
#include <memory>
#include <string>

namespace assay {

/// A Hugging Face model folder, opened: backbone, optional heads, ledger. Weights are in `type`.
struct ModelFolder
{
    ModelConfig config;
    std::unique_ptr<Backbone> backbone;
    StoredHead head;
    at::Tensor languageHead; ///< [vocabulary, width]; tied models share the embedding; undefined without one
    Ledger ledger;
    std::string weightsHash; ///< SHA-256 of the weight files
    std::uint64_t weightBytes = 0;
    std::filesystem::path folder;
};

/// `folder` may be the name of a model (see `findModel`). `knownHash`: of files that have just been read as a
/// whole and need not be again. `headDeclaration`: see `loadStoredHead`. Errors: NotFound, BadModel and
/// Unsupported naming file, key or tensor; Cancelled.
Result<ModelFolder> openModelFolder(const std::filesystem::path& folder, at::ScalarType type,
                                    MissingHead missingHead, at::Device device = at::kCPU,
                                    const std::string& knownHash = {},
                                    const std::string& headDeclaration = "auto", const LoadGoOn& goOn = {});

} // namespace assay
