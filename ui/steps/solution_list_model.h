#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"
#include "ui/models/paged_model.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace assay {

/// The list of solutions on the Steps page: one evaluation's examples, filtered and sorted in SQL, loaded
/// page by page by the given loader (which must not block the calling thread).
class SolutionListModel : public PagedModel<SolutionSummary>
{
    Q_OBJECT
public:
    using Reply = std::function<void(Result<SolutionPage>)>;
    using Loader = std::function<void(const SolutionQuery&, Reply)>;

    explicit SolutionListModel(Loader loader, QObject* parent = nullptr);

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    /// Evaluation, threshold, subset, filter and order; offset and limit are the model's own. Loads at once.
    void setQuery(const SolutionQuery& query);
    const SolutionQuery& query() const { return m_query; }
    void refresh();
    /// Shows nothing (no evaluation yet).
    void clear();

    double threshold() const { return m_shownThreshold; }
    /// In the order all, disagreements, false-positives, false-alarms, confident-errors; empty before the
    /// first answer.
    const std::vector<std::int64_t>& subsetCounts() const { return m_subsetCounts; }
    const std::optional<Error>& error() const { return m_error; }
    bool loadedOnce() const { return m_loadedOnce; }

Q_SIGNALS:
    /// Rows, counts or the error changed.
    void loaded();

protected:
    const std::string& idOf(const SolutionSummary& row) const override { return row.exampleId; }
    void requestRows(int offset, int limit) override;

private:
    SolutionQuery query(int offset, int limit) const;

    Loader m_loader;
    SolutionQuery m_query;
    double m_shownThreshold = 0.5; ///< of the rows on screen, until the answer to a new threshold is there
    std::vector<std::int64_t> m_subsetCounts;
    std::optional<Error> m_error;
    std::uint64_t m_generation = 0;
    bool m_loadedOnce = false;
};

} // namespace assay
