#pragma once

#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"

namespace assay {

/// The list of the Steps page for pairs: first and second answer of every example of an evaluation, filtered,
/// sorted, counted by subset. As in `SolutionList`, one pass serves all pages, orders and subsets of a
/// filter.
class PairList
{
public:
    /// Throws StoreFailure.
    SolutionPage page(Database& database, const SolutionQuery& query);

private:
    struct Entry
    {
        std::int64_t example = 0, ordinal = 0;
        double chosen = 0.0, rejected = 0.0;
        std::int64_t chosenCharacters = 0, rejectedCharacters = 0;
        bool hit = true;
        double margin() const { return chosen - rejected; }
        bool in(const std::string& subset) const;
    };
    void load(Database& database, const SolutionQuery& query);
    static bool before(const Entry& a, const Entry& b, const std::string& sort);

    std::int64_t m_evaluation = -1;
    std::int64_t m_examples = -1; ///< rows when loaded: an evaluation being written grows
    std::string m_filter;
    std::vector<Entry> m_entries;
};

} // namespace assay
