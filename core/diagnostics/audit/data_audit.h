#pragma once

#include "core/data/dataset.h"
#include "core/eval/report.h"
#include "core/text/layout.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace assay {

/// What the audit looks at besides the report of the label checks.
struct DataAuditInput
{
    const Dataset* train = nullptr;      ///< required
    const Dataset* evaluation = nullptr; ///< may be absent
    std::span<const LaidOut> trainRows, evaluationRows;
    const Tokenizer* tokenizer = nullptr; ///< may be absent
    std::string stepSeparator = "\n";
    std::optional<std::int64_t> maximumTokens; ///< of the layout; none = no limit
    std::int64_t maximumPositions = 0;         ///< of the backbone; 0 = not known
};

/// Completes a report of label checks to the pre-flight's: findings duplicate-labels, tokenizer-loses-text,
/// special-token-missing, separator-joins-differently and longer-than-positions, the curve tokens_per_row,
/// the table truncation (training and evaluation), the metric longest_row_tokens, and the table checks_passed
/// (id, title, evidence) of what was looked at and found in order.
void auditData(Report& report, const DataAuditInput& input, const std::stop_token& stop = {});

/// Steps that, tokenised together with their separator, give other ids than both apart.
struct JoinCount
{
    std::int64_t rows = 0, steps = 0, different = 0;
};
JoinCount countJoins(const Dataset& dataset, const Tokenizer& tokenizer, const std::string& separator,
                     std::int64_t maximumRows);

} // namespace assay
