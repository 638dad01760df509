#pragma once

#include "core/eval/report.h"
#include "core/run/session.h"
#include "core/store/checkpoint_list.h"
#include "core/store/records.h"

#include <nlohmann/json.hpp>

namespace assay {

// The records of the store as `--json` shows them. Keys are stable; a number that is undefined or not finite
// is null.

using Json = nlohmann::ordered_json;

Json toJson(const Metric& metric);
Json toJson(const Finding& finding);
Json toJson(const Report& report);
Json toJson(const RunSummary& run);
Json toJson(const RunDetails& run);
Json toJson(const EvaluationRecord& evaluation);
Json toJson(const CheckpointRecord& checkpoint);
/// Every checkpoint with its marks and the value of the metric that "best" goes by.
Json toJson(const CheckpointList& list);
Json toJson(const EventRecord& event);
Json toJson(const RunOutcome& outcome);
Json toJson(const Ledger& ledger);

template <typename T>
Json toJsonList(const std::vector<T>& values)
{
    Json list = Json::array();
    for (const auto& value : values)
        list.push_back(toJson(value));
    return list;
}

/// The stable word of a severity: note, warning, red.
std::string_view severityWord(Severity severity);

} // namespace assay
