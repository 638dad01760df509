#pragma once

#include "core/base/result.h"
#include "core/model/heads.h"
#include "core/model/model_config.h"
#include "core/model/weight_loader.h"
#include "core/text/layout.h"

#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// The head that a model folder holds.
struct StoredHead
{
    HeadWeights weights;     ///< undefined when the folder has none
    bool perToken = true;    ///< token classification (with bias) or sequence classification
    std::string declaration; ///< id of the declaration that it was read by; empty = an ordinary one
    std::optional<LayoutOptions> layout; ///< of the declaration

    bool present() const { return weights.weight.defined(); }
    /// Null when no kind of ours fits.
    const HeadKind* kind() const;
};

/// What a classification folder without its head gets.
enum class MissingHead {
    Refuse, ///< scoring: a random head must never look like a trained one
    Allow   ///< training: a new head is made by the caller, and the ledger says so
};

/// The tensors of a head of that kind under their own names, for instance of a file with initial weights.
Result<HeadWeights> takeHead(WeightLoader& loader, const HeadKind& kind, std::int64_t width);

/// The head of a folder. `declaration`: `auto` (one that recognises the folder, else an ordinary head),
/// `none`, the id of a declaration, or the path of one. `languageHead` may be undefined.
/// Errors: NotFound, BadModel naming the tensor or key, Unsupported.
Result<StoredHead> loadStoredHead(WeightLoader& loader, const ModelConfig& config,
                                  const std::filesystem::path& folder, const at::Tensor& languageHead,
                                  MissingHead missingHead, const std::string& declaration);

} // namespace assay
