#pragma once

#include "core/diagnostics/pairs/pair_census.h"
#include "core/eval/report.h"

#include <optional>
#include <span>
#include <string_view>

namespace assay {

// Each rule gives its finding when it applies. `side` is "training" or "evaluation".
std::optional<Finding> identicalSidesRule(std::span<const AnswerPair> pairs, std::string_view side);
/// Candidates that differ as texts and have the same ids in the layout.
std::optional<Finding> equalInLayoutRule(const Dataset& dataset, std::span<const AnswerPair> pairs,
                                         std::span<const LaidOut> laidOut, std::string_view side);
std::optional<Finding> emptyAnswerRule(std::span<const AnswerPair> pairs, std::string_view side);
std::optional<Finding> contradictoryPairsRule(std::span<const AnswerPair> pairs, std::string_view side);
std::optional<Finding> duplicatePairsRule(std::span<const AnswerPair> pairs, std::string_view side);
/// At least 90 % or at most 10 % of the pairs have the better answer as the longer one.
std::optional<Finding> lengthBiasRule(const PairCensus& census, std::string_view side);
/// What the two rulers reach, as a note, where there is no bias.
std::optional<Finding> lengthRulerNote(const PairCensus& census, std::string_view side);
std::optional<Finding> someMarginsRule(const PairCensus& census, std::string_view side);
/// Rows that the layout dropped or cut.
std::optional<Finding> longPairsRule(const Dataset& dataset, std::span<const LaidOut> laidOut,
                                     std::string_view side);
std::optional<Finding> tooFewPairsRule(const PairCensus& evaluation);

} // namespace assay
