#pragma once

#include "core/base/result.h"
#include "core/eval/reward_scale.h"
#include "core/text/layout.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// `export.json`: what an export is made of, and what scoring with it needs besides weights, tokenizer and
/// layout.
struct ExportRecord
{
    std::string origin; ///< a sentence: where the model comes from
    std::string format, architecture, dtype;
    std::string headKind, headBias; ///< bias: kept, dropped, added as zero, none
    std::int64_t outputs = 0;
    std::vector<TokenId> stepSeparator, promptSeparator;    ///< as the tokenizer had them
    RewardScale scale;                                      ///< what becomes of the outputs when it is used
    std::string thresholdFrom, temperatureFrom, centreFrom; ///< sentences; empty = nobody asked for one
    std::optional<std::int64_t> padId;                      ///< as config.json has it now
    std::int64_t probeScores = 0; ///< raw outputs that were compared after reloading
    double largestChange = 0.0;   ///< of one of them, by rounding and dropping
    std::vector<std::string> notes;

    bool biasDropped() const { return headBias == "dropped"; }
};

std::string exportRecordJson(const ExportRecord& record);
/// An empty record where the folder has no `export.json`. Errors: BadModel (not what an export writes).
Result<ExportRecord> readExportRecord(const std::filesystem::path& folder);

/// Ids of the separators that the layout uses, for the record.
void recordSeparators(ExportRecord& record, const LayoutOptions& layout, const Tokenizer* tokenizer);
/// Errors: BadModel when the tokenizer now gives other ids than the record has: the model would be read at
/// tokens that it was not trained on.
Status checkSeparators(const ExportRecord& record, const LayoutOptions& layout, const Tokenizer* tokenizer,
                       const std::filesystem::path& folder);

} // namespace assay
