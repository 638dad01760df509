#pragma once

#include "core/run/build_model.h"
#include "core/run/prepared_data.h"
#include "core/run/session.h"

#include <optional>
#include <stop_token>
#include <string>

namespace assay {

/// What the prepared rows say before a run starts.
Preflight preflightOf(const ExperimentConfig& config, const PreparedData& data);

/// The rows that were prepared last. An experiment is written in many small edits, most of which leave rows
/// and layout alone; only those that do not are prepared anew.
class PreparedRows
{
public:
    /// Errors: as planModel and prepareData. The reference is good until the next call.
    Result<const PreparedData*> prepare(const ExperimentConfig& config,
                                        const std::optional<SplitIds>& splitIds, const std::stop_token& stop);
    /// Row `row` of the training side as tokens, with what the layout cut. Errors: Usage when there is no
    /// such row.
    Result<TokenView> tokens(const ExperimentConfig& config, std::int64_t row) const;

private:
    std::string m_key; ///< settings and files that the rows depend on; empty = nothing is prepared
    TokenizerPtr m_tokenizer;
    PreparedData m_data;
};

} // namespace assay
