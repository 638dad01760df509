#pragma once

#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"

namespace assay {

/// An example in a list: id and the beginning of its prompt. Throws StoreFailure.
SolutionSummary summaryOf(Database& database, std::int64_t example);

/// The list of the Steps page: solutions of an evaluation, filtered, sorted, counted by subset. One pass over
/// the predictions per (evaluation, threshold, filter); pages, orders and subsets of the same are then served
/// from memory. Solutions whose steps are predicted as a threshold says: wrong = probability below it,
/// equality counts as correct.
class SolutionList
{
public:
    /// Throws StoreFailure.
    SolutionPage page(Database& database, const SolutionQuery& query);

private:
    struct Entry
    {
        std::int64_t example = 0, ordinal = 0;
        int firstTrueError = -1, firstPredictedError = -1;
        double largestError = 0.0;
        bool hit = true, falsePositive = false, falseAlarm = false, confidentError = false;
        bool in(const std::string& subset) const;
    };
    void load(Database& database, const SolutionQuery& query);

    std::int64_t m_evaluation = -1;
    std::int64_t m_predictions = -1; ///< rows when loaded: an evaluation being written grows
    double m_threshold = 0.0;
    std::string m_filter;
    std::vector<Entry> m_entries;
};

} // namespace assay
