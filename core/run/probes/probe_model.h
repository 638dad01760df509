#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Opens a model folder and says what it is: family, sizes, types, tokenizer, head, ledger; as JSON text.
/// `head`: which declaration of published heads to read it by, see `loadStoredHead`.
Result<std::string> describeModel(const std::filesystem::path& folder, const std::string& head = "auto");

/// Runs the cases of `casesJson` through the model and returns JSON text: for every case the last hidden
/// state and the head's (or language head's) outputs at every real position, and per layer mean, standard
/// deviation (divisor N) and largest absolute value. Cases: {"cases": [{"name", "input_ids",
/// "attention_mask"?, "token_type_ids"?}]} or the list itself. `execution`: single, packed, merged, padded,
/// left-padded. `dtype`: float32 or float64. Errors: Usage naming the case; NotFound, BadModel as opening.
Result<std::string> probeModel(const std::filesystem::path& folder, std::string_view casesJson,
                               std::string_view execution, std::string_view dtype = "float32",
                               const std::string& head = "auto");

} // namespace assay
