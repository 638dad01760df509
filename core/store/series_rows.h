#pragma once

#include "core/store/records.h"
#include "core/store/sqlite/database.h"

#include <span>
#include <string>
#include <vector>

namespace assay {

/// Steps that are sealed into one block.
constexpr std::int64_t kBlockSteps = 4096;
/// Points summed up by one entry of a block's pyramid.
constexpr std::int64_t kChunkSteps = 64;

/// Names of the series that every optimiser step has: loss, gradient_norm, ...
std::vector<std::string> stepSeriesNames();

/// Inserts a step as a row. Throws StoreFailure when the attempt has this step already.
void insertStep(Database& database, std::int64_t run, const StepRecord& record);

/// Number of steps of the attempt that are still rows.
std::int64_t looseSteps(Database& database, std::int64_t run, std::int64_t attempt);

/// Moves the oldest rows of the attempt, at most kBlockSteps, into one block per series. Inside a
/// transaction.
void sealSteps(Database& database, std::int64_t run, std::int64_t attempt);

/// A series over [fromStep, toStep] (0, 0 = all) as at most `maximumPoints` buckets, extremes exact. What a
/// later attempt computed again is left out.
std::vector<SeriesPoint> readStepSeries(Database& database, std::int64_t run, const std::string& series,
                                        double fromStep, double toStep, std::int64_t maximumPoints);

/// Steps after `afterStep` as they were recorded, superseded ones left out.
std::vector<StepRecord> readSteps(Database& database, std::int64_t run, std::int64_t afterStep,
                                  std::int64_t limit);

} // namespace assay
