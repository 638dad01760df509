#pragma once

#include "app/lines/line_connection.h"
#include "core/run/scoring/batch_scorer.h"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Adds what a row got: {"rewards", "scores"} with null for what the layout cut away, and "cut" if it did; or
/// {"error"}. An exported model may judge steps ("correct") and answers ("reward").
void addScores(nlohmann::ordered_json& json, const Result<RowScores>& scores);

/// Answers to the requests of a stream: rows with an "id" of their own choice, which comes back. `format`:
/// format id of the rows, empty = recognised.
std::vector<std::string> answerScoreLines(BatchScorer& scorer, std::string_view format,
                                          std::span<const ReceivedLine> lines);

} // namespace assay
