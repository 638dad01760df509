#pragma once

#include "core/store/records.h"
#include "core/store/sqlite/database.h"

#include <span>
#include <vector>

namespace assay {

/// Inserts an evaluation with its metrics; on the run's own rows and not of an older step it becomes headline
/// and verdict. Inside a transaction.
std::int64_t insertEvaluation(Database& database, std::int64_t run, const EvaluationRecord& record);
std::vector<EvaluationRecord> readEvaluations(Database& database, std::int64_t run);
std::vector<EvaluationRecord> readOtherEvaluations(Database& database, std::int64_t run);

/// The metric that the run table shows: balanced accuracy of a model that learns, else AUROC, else accuracy,
/// else the loss; with the best null baseline, else chance.
std::optional<HeadlineMetric> headlineOf(const EvaluationRecord& record);

void insertExamples(Database& database, std::span<const StoredExample> examples);
/// Throws StoreFailure (NotFound).
StoredExample readExample(Database& database, const std::string& id);

/// Inserts predictions in the order of the evaluation set; inside a transaction. Examples without text get a
/// row.
void insertPredictions(Database& database, std::int64_t evaluation, std::span<const StoredPrediction> rows);
std::vector<StoredPrediction> readPredictions(Database& database, std::int64_t evaluation,
                                              const std::string& exampleId);

/// A metric over the evaluations of a run.
std::vector<SeriesPoint> readMetricSeries(Database& database, std::int64_t run, const std::string& metric);

} // namespace assay
