#include "ui/pages/evaluated_run.h"

namespace assay {

Result<EvaluatedRun> readEvaluatedRun(const RunReader& reader, const RunId& run)
{
    EvaluatedRun view;
    RunId id = run;
    if (id.empty()) {
        // Without a choice: the newest run that has something to show.
        RunQuery query;
        query.limit = 50;
        TRY(const auto page, reader.runs(query));
        for (const auto& row : page.rows) {
            TRY(const auto evaluations, reader.evaluations(row.id));
            if (!evaluations.empty()) {
                id = row.id;
                break;
            }
        }
        if (id.empty())
            return Error{ErrorCode::NotFound, "no run has been evaluated yet"};
    }
    TRY(auto details, reader.run(id));
    TRY(const auto evaluations, reader.evaluations(id));
    view.summary = std::move(details.summary);
    for (const auto& evaluation : evaluations) {
        view.evaluations.push_back({evaluation.id, evaluation.step, {}});
        view.thresholds.push_back(evaluation.threshold);
    }
    return view;
}

} // namespace assay
